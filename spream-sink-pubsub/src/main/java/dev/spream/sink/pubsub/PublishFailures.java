package dev.spream.sink.pubsub;

import com.google.api.gax.rpc.StatusCode.Code;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.RecordIdentity;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CancellationException;

/** Classifies refusals of Pub/Sub: caused by the change, by the configuration, or by a temporary condition. */
record PublishFailures(PubsubTopic topic, PubsubAdvice advice) {
    /**
     * The errors after which the client itself retries, within the time of a request.
     *
     * @see <a href="https://cloud.google.com/pubsub/docs/reference/error-codes">Pub/Sub: error codes</a>
     */
    static final Set<Code> TRANSIENT = Set.copyOf(EnumSet.of(
            Code.ABORTED,
            Code.CANCELLED,
            Code.DEADLINE_EXCEEDED,
            Code.INTERNAL,
            Code.RESOURCE_EXHAUSTED,
            Code.UNAVAILABLE,
            Code.UNKNOWN));

    static PublishFailures of(PubsubOptions options) {
        return new PublishFailures(options.topic(), PubsubAdvice.of(options));
    }

    /** Returns whether the request itself is invalid, so that it is useless to send it again. */
    static boolean isRejection(Throwable failure) {
        return PubsubAdvice.code(failure) == Code.INVALID_ARGUMENT;
    }

    private static Object what(Throwable failure) {
        return failure instanceof CancellationException
                ? "the sink was closed before Pub/Sub responded"
                : PubsubAdvice.what(failure);
    }

    /** Returns the exception for the error handler, for a change whose messages were refused. */
    Exception of(RecordIdentity change, Throwable failure) {
        if (isRejection(failure)) {
            return new NonRetryableException(
                    "%s refused the change %s as invalid; retrying it will not help".formatted(topic, change), failure);
        }
        return new IOException(
                "the change %s was not confirmed by %s: %s%s"
                        .formatted(change, topic, what(failure), advice.on(failure)),
                failure);
    }

    /**
     * Returns the exception for a change that was not published, or not completely, because it follows a failed one.
     */
    IOException behind(RecordIdentity change) {
        return new IOException(
                "the change %s was not published to %s, because an earlier change of its keys was not; it is published after that one"
                        .formatted(change, topic));
    }
}
