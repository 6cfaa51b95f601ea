package dev.spream.sink.pubsub;

import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode.Code;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The advice for operators on a refusal by Pub/Sub. */
record PubsubAdvice(PubsubTopic topic, PubsubOptions.Use use) {
    static PubsubAdvice of(PubsubOptions options) {
        return new PubsubAdvice(options.topic(), options.use());
    }

    /** Returns the exception for a topic that cannot be used, as far as a check of it shows. */
    IOException atStart(Throwable failure) {
        if (code(failure) == Code.NOT_FOUND) {
            return new IOException(
                    "topic %s does not exist: create it with '%s', or correct %s"
                            .formatted(topic, topic.createCommand(), use.key("topic")),
                    failure);
        }
        return new IOException(
                "topic %s cannot be checked: %s%s; set %s=false to start without the check"
                        .formatted(topic, what(failure), on(failure), use.key("check-topic")),
                failure);
    }

    /** Returns whether the account may not view the topic, which is not required for publishing. */
    static boolean mayNotLook(Throwable failure) {
        return code(failure) == Code.PERMISSION_DENIED;
    }

    static Object what(Throwable failure) {
        Code code = code(failure);
        return code == null ? failure : code;
    }

    /** Returns the end of a message; empty if no action is needed. */
    String on(Throwable failure) {
        Code code = code(failure);
        return switch (code) {
            case null -> "";
            case NOT_FOUND -> "; the topic does not exist: create it with '%s'".formatted(topic.createCommand());
            case PERMISSION_DENIED ->
                "; grant roles/pubsub.publisher on it to the account in use: 'gcloud pubsub topics add-iam-policy-binding %s --project=%s --role=roles/pubsub.publisher --member=<account>'"
                        .formatted(topic.topic(), topic.project());
            case UNAUTHENTICATED ->
                "; the credentials were refused: check %s, or renew the application default credentials"
                        .formatted(use.key("credentials-file"));
            case FAILED_PRECONDITION ->
                "; check the topic's encryption key, its schema and the policies of its project";
            case RESOURCE_EXHAUSTED -> "; check the quotas of project %s".formatted(topic.project());
            case UNAVAILABLE, DEADLINE_EXCEEDED ->
                "; if this continues, check %s and the network".formatted(use.key("endpoint"));
            default -> "";
        };
    }

    static @Nullable Code code(Throwable failure) {
        return failure instanceof ApiException refused ? refused.getStatusCode().getCode() : null;
    }
}
