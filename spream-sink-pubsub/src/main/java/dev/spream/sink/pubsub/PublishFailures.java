package dev.spream.sink.pubsub;

import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode.Code;
import dev.spream.api.spi.RejectedException;
import dev.spream.core.record.RecordIdentity;
import java.io.IOException;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** What a refusal by Pub/Sub says: about the change, about the set-up, or about the moment. */
final class PublishFailures {
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

    private final PubsubTopic topic;

    PublishFailures(PubsubTopic topic) {
        this.topic = topic;
    }

    /** Whether the request itself is at fault, and it is of no use to send it again. */
    static boolean isRejection(Throwable failure) {
        return code(failure) == Code.INVALID_ARGUMENT;
    }

    /** What the error handler is told of a change whose messages were refused. */
    Exception of(RecordIdentity change, Throwable failure) {
        if (isRejection(failure)) {
            return new RejectedException(
                    "%s refuses the change %s as invalid; it will not take it, however often it is tried"
                            .formatted(topic, change),
                    failure);
        }
        return new IOException(
                "the change %s was not confirmed by %s: %s%s".formatted(change, topic, what(failure), advice(failure)),
                failure);
    }

    /** Why a change was not published, or not with all its rows. */
    IOException behind(RecordIdentity change) {
        return new IOException(
                "the change %s was not published to %s, since one before it on its keys was not; it comes again after it"
                        .formatted(change, topic));
    }

    /** Why the topic cannot be used, as far as a look at it shows. */
    IOException atStart(Throwable failure) {
        if (code(failure) == Code.NOT_FOUND) {
            return new IOException(
                    "there is no topic %s: create it with '%s', or correct sink.pubsub.topic"
                            .formatted(topic, topic.createCommand()),
                    failure);
        }
        return new IOException(
                "the topic %s cannot be looked at: %s%s; sink.pubsub.check-topic=false starts without a look"
                        .formatted(topic, what(failure), advice(failure)),
                failure);
    }

    /** Whether the account may not look at the topic, which to publish it need not. */
    static boolean mayNotLook(Throwable failure) {
        return code(failure) == Code.PERMISSION_DENIED;
    }

    private static Object what(Throwable failure) {
        if (failure instanceof CancellationException) {
            return "the sink was closed before the answer came";
        }
        Code code = code(failure);
        return code == null ? failure : code;
    }

    private String advice(Throwable failure) {
        Code code = code(failure);
        return switch (code) {
            case null -> "";
            case NOT_FOUND -> "; the topic is not there: create it with '%s'".formatted(topic.createCommand());
            case PERMISSION_DENIED ->
                "; grant roles/pubsub.publisher on it to the account in use: 'gcloud pubsub topics add-iam-policy-binding %s --project=%s --role=roles/pubsub.publisher --member=<account>'"
                        .formatted(topic.topic(), topic.project());
            case UNAUTHENTICATED ->
                "; the credentials are not accepted: look at sink.pubsub.credentials-file, or renew the application default credentials";
            case FAILED_PRECONDITION ->
                "; look at the topic's encryption key, its schema and the policies of its project";
            case RESOURCE_EXHAUSTED -> "; look at the quotas of project %s".formatted(topic.project());
            case UNAVAILABLE, DEADLINE_EXCEEDED ->
                "; look at sink.pubsub.endpoint and at the network, if it does not pass";
            default -> "";
        };
    }

    private static @Nullable Code code(Throwable failure) {
        return failure instanceof ApiException refused ? refused.getStatusCode().getCode() : null;
    }
}
