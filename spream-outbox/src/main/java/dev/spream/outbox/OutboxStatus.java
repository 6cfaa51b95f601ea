package dev.spream.outbox;

import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The status of an entry of the outbox. */
public enum OutboxStatus {
    /** Not tried yet, or requeued, or given back before it was tried. */
    PENDING,
    /** Claimed by a worker, which has a lease on it. When the lease has run out, another may claim it. */
    SENDING,
    /** The last attempt failed, or its outcome is unknown. Due again at a time, or parked for an operator. */
    FAILED,
    /** Sent, and recorded as succeeded in the ledger. */
    SUCCEEDED,
    /** Given up, and the ledger says so. */
    ABORTED;

    private static final Map<OutboxStatus, Set<OutboxStatus>> MOVES = Map.of(
            PENDING, Set.of(SENDING, SUCCEEDED, ABORTED),
            SENDING, Set.of(SENDING, PENDING, FAILED, SUCCEEDED, ABORTED),
            FAILED, Set.of(SENDING, PENDING, SUCCEEDED, ABORTED),
            SUCCEEDED, Set.of(),
            ABORTED, Set.of(PENDING));

    /**
     * Returns whether an entry may go from this status to that one. From {@link #SENDING} to itself it goes by a new claim,
     * after the lease of the one before ran out.
     */
    public boolean canBecome(OutboxStatus next) {
        return MOVES.getOrDefault(this, Set.of()).contains(next);
    }

    /** Returns whether the ledger has a final answer to the entry. */
    public boolean isSettled() {
        return this == SUCCEEDED || this == ABORTED;
    }

    /** As tables and commands write it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The status of that text.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static OutboxStatus of(String text) {
        for (OutboxStatus status : values()) {
            if (status.text().equals(text)) {
                return status;
            }
        }
        throw new IllegalArgumentException("unknown status of an outbox entry: '%s'".formatted(text));
    }
}
