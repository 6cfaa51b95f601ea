package dev.spream.outbox;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/** The end of a claim. Every settlement releases the lease. */
public sealed interface Settlement {
    OutboxClaim.Ref ref();

    /** Succeeded: in the ledger first, and in the outbox. */
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
     * Failed, and due again.
     *
     * @param delay from now on
     * @param outcomeUnknown whether it may have reached the receiver, in this attempt or an earlier one
     * @param counts whether the attempt counts; false of one that only tried whether the receiver can be reached, whose attempt
     *     is given back
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

        /** Of an attempt that counts. */
        public Failed(OutboxClaim.Ref ref, ReasonCode reason, String message, Duration delay, boolean outcomeUnknown) {
            this(ref, reason, message, delay, outcomeUnknown, true);
        }
    }

    /** Failed, and not due again until an operator acts; later entries of its ordering key wait. */
    record Parked(OutboxClaim.Ref ref, ReasonCode reason, String message, boolean outcomeUnknown)
            implements Settlement {
        public Parked {
            requireNonNull(ref, "ref");
            requireNonNull(reason, "reason");
            requireNonNull(message, "message");
        }
    }

    /** Given up: failed in the ledger first, and aborted in the outbox. */
    record Aborted(OutboxClaim.Ref ref, LedgerResult result, String message) implements Settlement {
        public Aborted {
            requireNonNull(ref, "ref");
            requireNonNull(message, "message");
            if (result.status() != LedgerStatus.FAILED) {
                throw new IllegalArgumentException("an aborted entry needs a result of status FAILED");
            }
        }
    }

    /** Given back as it was, before it was tried: its attempt does not count, and it is due as before. */
    record Released(OutboxClaim.Ref ref) implements Settlement {
        public Released {
            requireNonNull(ref, "ref");
        }
    }
}
