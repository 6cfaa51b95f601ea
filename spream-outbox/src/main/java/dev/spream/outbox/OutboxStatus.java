package dev.spream.outbox;

import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The status of an entry of the outbox. */
public enum OutboxStatus {
    /** Not attempted yet, requeued, or released before an attempt. */
    PENDING,
    /** Claimed by a worker under a lease. Once the lease has expired, another worker may claim the entry. */
    SENDING,
    /**
     * The last attempt failed or its outcome is unknown. The entry is due again at a later time, or parked for an
     * operator.
     */
    FAILED,
    /** Sent, and recorded as succeeded in the ledger. */
    SUCCEEDED,
    /** Not to be sent any more, and recorded as failed in the ledger. */
    ABORTED;

    private static final Map<OutboxStatus, Set<OutboxStatus>> MOVES = Map.of(
            PENDING, Set.of(SENDING, SUCCEEDED, ABORTED),
            SENDING, Set.of(SENDING, PENDING, FAILED, SUCCEEDED, ABORTED),
            FAILED, Set.of(SENDING, PENDING, SUCCEEDED, ABORTED),
            SUCCEEDED, Set.of(),
            ABORTED, Set.of(PENDING));

    /**
     * Returns whether an entry may change from this status to that one. A change from {@link #SENDING} to itself is a
     * new claim after the lease of the previous one expired.
     */
    public boolean canBecome(OutboxStatus next) {
        return MOVES.getOrDefault(this, Set.of()).contains(next);
    }

    /** Returns whether the entry has its final result in the ledger. */
    public boolean isSettled() {
        return this == SUCCEEDED || this == ABORTED;
    }

    /** Returns the status as written in tables and commands. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the status with that {@link #text}.
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
