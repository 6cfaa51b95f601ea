package dev.spream.outbox;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/** The end of a claim: the outcome that the worker stores for the entry. Every settlement releases the lease. */
public sealed interface Settlement {
    OutboxClaim.Ref ref();

    /** The entry succeeded: recorded in the ledger first, then in the outbox. */
    record Succeeded(OutboxClaim.Ref ref, LedgerResult result) implements Settlement {
        public Succeeded {
            requireNonNull(ref, "ref");
            if (result.status() != LedgerStatus.SUCCEEDED) {
                throw new IllegalArgumentException(
                        "a success needs a result of status SUCCEEDED, not " + result.status());
            }
        }
    }

    /**
     * The attempt failed, and the entry is due again after a delay, or has expired before.
     *
     * @param delay the time until the entry is due, from now; stores shorten it to the time until the entry expires
     * @param outcomeUnknown whether the entry may have reached the receiver, in this attempt or an earlier one
     * @param counts whether the attempt counts; false for a probe of the receiver, after which the number of attempts
     *     is decremented
     */
    record Failed(
            OutboxClaim.Ref ref,
            ReasonCode reason,
            String message,
            Duration delay,
            boolean outcomeUnknown,
            boolean counts)
            implements Settlement {
        public Failed {
            requireNonNull(ref, "ref");
            requireNonNull(reason, "reason");
            requireNonNull(message, "message");
            requireNonNull(delay, "delay");
        }

        /** Creates the settlement of an attempt that counts. */
        public Failed(OutboxClaim.Ref ref, ReasonCode reason, String message, Duration delay, boolean outcomeUnknown) {
            this(ref, reason, message, delay, outcomeUnknown, true);
        }
    }

    /** The entry is not due again until an operator acts; later entries of its ordering key wait. */
    record Parked(OutboxClaim.Ref ref, ReasonCode reason, String message, boolean outcomeUnknown)
            implements Settlement {
        public Parked {
            requireNonNull(ref, "ref");
            requireNonNull(reason, "reason");
            requireNonNull(message, "message");
        }
    }

    /** The entry is aborted: recorded as failed in the ledger first, then as aborted in the outbox. */
    record Aborted(OutboxClaim.Ref ref, LedgerResult result, String message) implements Settlement {
        public Aborted {
            requireNonNull(ref, "ref");
            requireNonNull(message, "message");
            if (result.status() != LedgerStatus.FAILED) {
                throw new IllegalArgumentException("an aborted entry needs a result of status FAILED");
            }
        }
    }

    /** The entry is released before an attempt: the attempt does not count, and the entry is due as before. */
    record Released(OutboxClaim.Ref ref) implements Settlement {
        public Released {
            requireNonNull(ref, "ref");
        }
    }
}
