package dev.spream.outbox;

import java.util.Locale;

/** The status of a request in the ledger. */
public enum LedgerStatus {
    IN_PROGRESS,
    SUCCEEDED,
    FAILED;

    public boolean isSettled() {
        return this != IN_PROGRESS;
    }

    /** Returns the status as written in tables and commands. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
