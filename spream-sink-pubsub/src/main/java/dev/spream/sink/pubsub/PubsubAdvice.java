package dev.spream.sink.pubsub;

import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode.Code;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Advice to people on a refusal by Pub/Sub. */
record PubsubAdvice(PubsubTopic topic, PubsubOptions.Use use) {
    static PubsubAdvice of(PubsubOptions options) {
        return new PubsubAdvice(options.topic(), options.use());
    }

    /** Why the topic cannot be used, as far as a look at it shows. */
    IOException atStart(Throwable failure) {
        if (code(failure) == Code.NOT_FOUND) {
            return new IOException(
                    "there is no topic %s: create it with '%s', or correct %s"
                            .formatted(topic, topic.createCommand(), use.key("topic")),
                    failure);
        }
        return new IOException(
                "the topic %s cannot be looked at: %s%s; %s=false starts without a look"
                        .formatted(topic, what(failure), on(failure), use.key("check-topic")),
                failure);
    }

    /** Returns whether the account may not look at the topic, which to publish it need not. */
    static boolean mayNotLook(Throwable failure) {
        return code(failure) == Code.PERMISSION_DENIED;
    }

    static Object what(Throwable failure) {
        Code code = code(failure);
        return code == null ? failure : code;
    }

    /** The end of a message; empty if there is nothing to be done. */
    String on(Throwable failure) {
        Code code = code(failure);
        return switch (code) {
            case null -> "";
            case NOT_FOUND -> "; the topic is not there: create it with '%s'".formatted(topic.createCommand());
            case PERMISSION_DENIED ->
                "; grant roles/pubsub.publisher on it to the account in use: 'gcloud pubsub topics add-iam-policy-binding %s --project=%s --role=roles/pubsub.publisher --member=<account>'"
                        .formatted(topic.topic(), topic.project());
            case UNAUTHENTICATED ->
                "; the credentials are not accepted: look at %s, or renew the application default credentials"
                        .formatted(use.key("credentials-file"));
            case FAILED_PRECONDITION ->
                "; look at the topic's encryption key, its schema and the policies of its project";
            case RESOURCE_EXHAUSTED -> "; look at the quotas of project %s".formatted(topic.project());
            case UNAVAILABLE, DEADLINE_EXCEEDED ->
                "; look at %s and at the network, if it does not pass".formatted(use.key("endpoint"));
            default -> "";
        };
    }

    static @Nullable Code code(Throwable failure) {
        return failure instanceof ApiException refused ? refused.getStatusCode().getCode() : null;
    }
}
