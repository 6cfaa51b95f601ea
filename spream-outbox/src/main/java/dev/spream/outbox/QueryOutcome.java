package dev.spream.outbox;

import static java.util.Objects.requireNonNull;

import dev.spream.core.Secrets;

/**
 * The answer of the receiver about an entry that may have reached it. Its messages are as those of a {@link
 * SendOutcome}.
 */
public sealed interface QueryOutcome {

    /** The receiver has taken it. */
    record Taken(LedgerResult result) implements QueryOutcome {
        public Taken {
            requireNonNull(result, "result");
        }
    }

    /** The receiver has refused it permanently. */
    record Refused(ReasonCode reason, String message) implements QueryOutcome {
        public Refused {
            requireNonNull(reason, "reason");
            message = Secrets.mask(requireNonNull(message, "message"));
        }
    }

    /** The receiver does not have it and never will, unless it is sent again. */
    record NotThere() implements QueryOutcome {}

    /** The receiver could not be asked, or does not know yet; to be asked again. */
    record StillUnknown(ReasonCode reason, String message) implements QueryOutcome {
        public StillUnknown {
            requireNonNull(reason, "reason");
            message = Secrets.mask(requireNonNull(message, "message"));
        }
    }
}
