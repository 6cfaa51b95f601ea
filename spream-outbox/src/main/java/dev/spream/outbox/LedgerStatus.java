package dev.spream.outbox;

import java.util.Locale;

/** What the ledger says of a request. */
public enum LedgerStatus {
    IN_PROGRESS,
    SUCCEEDED,
    FAILED;

    public boolean isSettled() {
        return this != IN_PROGRESS;
    }

    /** As tables and commands write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
