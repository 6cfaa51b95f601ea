package dev.spream.outbox;

/** The outcome of a manual change by an operator. */
public sealed interface OperatorResult {

    /** The change was made and recorded in the audit. */
    record Done(OutboxRow after) implements OperatorResult {}

    /** The change was refused for the given reason; nothing was changed. */
    record Refused(OutboxRow row, String why) implements OperatorResult {}

    /** The entry does not exist. */
    record NotFound() implements OperatorResult {}
}
