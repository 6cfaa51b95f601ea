package dev.spream.outbox;

import static java.util.Objects.requireNonNull;

import dev.spream.core.Secrets;
import java.time.Duration;
import java.util.Optional;

/**
 * The outcome of an attempt to send an entry. Messages describe the failure and must not contain data of the payload or
 * the response; the configured secrets of the process are removed from them.
 */
public sealed interface SendOutcome {

    /** The receiver accepted the entry; its response is stored in the ledger. */
    record Succeeded(LedgerResult result) implements SendOutcome {
        public Succeeded {
            if (result.status() != LedgerStatus.SUCCEEDED) {
                throw new IllegalArgumentException(
                        "a success needs a result of status SUCCEEDED, not " + result.status());
            }
        }
    }

    /**
     * The receiver certainly did not accept the entry, and may accept it later.
     *
     * @param after the minimum delay before the next attempt, if the receiver requested one
     */
    record Retryable(ReasonCode reason, String message, Optional<Duration> after) implements SendOutcome {
        public Retryable {
            requireNonNull(reason, "reason");
            message = Secrets.mask(requireNonNull(message, "message"));
            requireNonNull(after, "after");
        }

        public Retryable(ReasonCode reason, String message) {
            this(reason, message, Optional.empty());
        }
    }

    /**
     * The receiver certainly did not accept the entry in this attempt, and never will. Earlier attempts may still have
     * been accepted.
     */
    record Permanent(ReasonCode reason, String message) implements SendOutcome {
        public Permanent {
            requireNonNull(reason, "reason");
            message = Secrets.mask(requireNonNull(message, "message"));
        }
    }

    /** The entry was sent and may or may not have been accepted: there was no response, or an inconclusive one. */
    record Unknown(ReasonCode reason, String message) implements SendOutcome {
        public Unknown {
            requireNonNull(reason, "reason");
            message = Secrets.mask(requireNonNull(message, "message"));
        }
    }
}
