package dev.spream.outbox;

import static java.util.Objects.requireNonNull;

import dev.spream.core.Secrets;
import java.time.Duration;
import java.util.Optional;

/**
 * The outcome of an attempt to send an entry. Its messages say what happened, and hold nothing of the payload or of the
 * answer; secrets that the process was configured with are struck from them.
 */
public sealed interface SendOutcome {

    /** The receiver took it; the ledger keeps what it answered. */
    record Succeeded(LedgerResult result) implements SendOutcome {
        public Succeeded {
            if (result.status() != LedgerStatus.SUCCEEDED) {
                throw new IllegalArgumentException(
                        "a success needs a result of status SUCCEEDED, not " + result.status());
            }
        }
    }

    /**
     * The receiver did certainly not take it, and may take it later.
     *
     * @param after how long to wait at least, if the receiver said so
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

    /** The receiver did certainly not take it in this attempt, and never will; of an earlier attempt that says nothing. */
    record Permanent(ReasonCode reason, String message) implements SendOutcome {
        public Permanent {
            requireNonNull(reason, "reason");
            message = Secrets.mask(requireNonNull(message, "message"));
        }
    }

    /** It left, and may have been taken or not: there was no answer, or none that says. */
    record Unknown(ReasonCode reason, String message) implements SendOutcome {
        public Unknown {
            requireNonNull(reason, "reason");
            message = Secrets.mask(requireNonNull(message, "message"));
        }
    }
}
