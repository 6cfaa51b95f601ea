package dev.spream.outbox;

import static java.util.Objects.requireNonNull;

import dev.spream.core.Secrets;

/**
 * The outcome of querying the receiver about an entry that may have reached it. The rules for messages are those of
 * {@link SendOutcome}.
 */
public sealed interface QueryOutcome {

    /** The receiver has accepted the entry. */
    record Taken(LedgerResult result) implements QueryOutcome {
        public Taken {
            requireNonNull(result, "result");
        }
    }

    /** The receiver has rejected the entry permanently. */
    record Refused(ReasonCode reason, String message) implements QueryOutcome {
        public Refused {
            requireNonNull(reason, "reason");
            message = Secrets.mask(requireNonNull(message, "message"));
        }
    }

    /** The receiver has not received the entry, and will not receive it unless it is sent again. */
    record NotThere() implements QueryOutcome {}

    /** The query failed, or the receiver has no outcome yet; the query is repeated later. */
    record StillUnknown(ReasonCode reason, String message) implements QueryOutcome {
        public StillUnknown {
            requireNonNull(reason, "reason");
            message = Secrets.mask(requireNonNull(message, "message"));
        }
    }
}
