package dev.spream.api;

import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.ErrorHandler;

/**
 * An error handler of the program, for a sink that counts changes by positions: it may retry or stop. Any other decision
 * stops as well. Such a sink fails for all changes at once, and a change that it reports as failed may be counted, so its
 * dead letter would count twice, and the changes after one that is skipped would be skipped too.
 */
record StoppingErrorHandler(ErrorHandler handler, String sink) implements ErrorHandler {
    @Override
    public ErrorDecision onFailure(DeliveryFailure failure) {
        ErrorDecision decision = handler.onFailure(failure);
        return switch (decision) {
            case ErrorDecision.Retry retry -> retry;
            case ErrorDecision.Stop stop -> stop;
            case ErrorDecision.Skip skip -> throw refused(decision);
            case ErrorDecision.DeadLetter letter -> throw refused(decision);
            case ErrorDecision.ParkKey parking -> throw refused(decision);
        };
    }

    private IllegalStateException refused(ErrorDecision decision) {
        return new IllegalStateException(
                "the decision %s is not possible with the sink %s, which fails for all changes at once, and may have counted a change that it reports as failed: decide to retry or to stop"
                        .formatted(decision.getClass().getSimpleName(), sink));
    }
}
