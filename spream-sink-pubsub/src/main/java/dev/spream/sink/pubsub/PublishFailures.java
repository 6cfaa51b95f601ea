package dev.spream.sink.pubsub;

import com.google.api.gax.rpc.StatusCode.Code;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.RecordIdentity;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CancellationException;

/** The meaning of a refusal by Pub/Sub: it is about the change, about the set-up, or about the moment. */
record PublishFailures(PubsubTopic topic, PubsubAdvice advice) {
    /**
     * What the client tries again by itself, while the time of a request lasts.
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

    /** Returns whether the request itself is at fault, and it is of no use to send it again. */
    static boolean isRejection(Throwable failure) {
        return PubsubAdvice.code(failure) == Code.INVALID_ARGUMENT;
    }

    private static Object what(Throwable failure) {
        return failure instanceof CancellationException
                ? "the sink was closed before the answer came"
                : PubsubAdvice.what(failure);
    }

    /** What the error handler is told of a change whose messages were refused. */
    Exception of(RecordIdentity change, Throwable failure) {
        if (isRejection(failure)) {
            return new NonRetryableException(
                    "%s refuses the change %s as invalid; it will not take it, however often it is tried"
                            .formatted(topic, change),
                    failure);
        }
        return new IOException(
                "the change %s was not confirmed by %s: %s%s"
                        .formatted(change, topic, what(failure), advice.on(failure)),
                failure);
    }

    /** Why a change was not published, or not with all its rows. */
    IOException behind(RecordIdentity change) {
        return new IOException(
                "the change %s was not published to %s, since one before it on its keys was not; it comes again after it"
                        .formatted(change, topic));
    }
}
