package dev.spream.sink.pubsub;

import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import java.net.ConnectException;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** What a refusal by Pub/Sub, or no answer, says of an entry, as {@link PubsubSenderProvider} documents it. */
record EntryOutcomes(PubsubTopic topic, PubsubAdvice advice) {
    static EntryOutcomes of(PubsubOptions options) {
        return new EntryOutcomes(options.topic(), PubsubAdvice.of(options));
    }

    /** See <a href="https://cloud.google.com/pubsub/docs/reference/error-codes">Pub/Sub: error codes</a>. */
    SendOutcome of(Throwable failure) {
        String message = "%s answered with %s%s".formatted(topic, PubsubAdvice.what(failure), advice.on(failure));
        return switch (PubsubAdvice.code(failure)) {
            case null ->
                unknown(
                        ReasonCode.OUTCOME_UNKNOWN,
                        "%s gave no answer (%s)"
                                .formatted(topic, failure.getClass().getSimpleName()));
            case INVALID_ARGUMENT -> new SendOutcome.Permanent(ReasonCode.INVALID_REQUEST, message);
            case RESOURCE_EXHAUSTED -> new SendOutcome.Retryable(ReasonCode.RATE_LIMITED, message);
            case PERMISSION_DENIED, UNAUTHENTICATED -> new SendOutcome.Retryable(ReasonCode.UNAUTHORIZED, message);
            case NOT_FOUND, FAILED_PRECONDITION -> new SendOutcome.Retryable(ReasonCode.UNAVAILABLE, message);
            case UNAVAILABLE ->
                isBeforeRequest(failure)
                        ? new SendOutcome.Retryable(ReasonCode.UNAVAILABLE, message + "; nothing left")
                        : unknown(ReasonCode.OUTCOME_UNKNOWN, message);
            case DEADLINE_EXCEEDED -> unknown(ReasonCode.TIMEOUT, message);
            case OK, CANCELLED, UNKNOWN, ALREADY_EXISTS, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, DATA_LOSS ->
                unknown(ReasonCode.OUTCOME_UNKNOWN, message);
        };
    }

    private static SendOutcome unknown(ReasonCode reason, String message) {
        return new SendOutcome.Unknown(reason, message + "; it may have been published");
    }

    /** Whether there was no connection that it could have left by. */
    private static boolean isBeforeRequest(@Nullable Throwable failure) {
        return switch (failure) {
            case null -> false;
            case ConnectException refused -> true;
            case UnknownHostException nameless -> true;
            default -> isBeforeRequest(failure.getCause());
        };
    }
}
