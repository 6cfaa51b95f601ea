package dev.spream.core.consume;

/**
 * Decides what happens to a change that a consumer refused. Called on the thread that called the consumer, for one change
 * at a time; a handler that takes long holds up the changes behind it and no others. A handler that throws stops the
 * subscription.
 */
@FunctionalInterface
public interface ErrorHandler {

    ErrorDecision onFailure(DeliveryFailure failure);

    /** Stops at the first failure. The default. */
    static ErrorHandler stop() {
        return failure -> new ErrorDecision.Stop();
    }
}
