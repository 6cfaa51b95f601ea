package dev.spream.outbox;

/** The outcome of a change by hand. */
public sealed interface OperatorResult {

    /** It was made, and is in the audit. */
    record Done(OutboxRow after) implements OperatorResult {}

    /** It was not, and why; nothing was changed. */
    record Refused(OutboxRow row, String why) implements OperatorResult {}

    /** There is no such entry. */
    record NotFound() implements OperatorResult {}
}
