package dev.spream.sink.pubsub;

import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode.Code;
import com.google.cloud.pubsub.v1.SubscriptionAdminClient;
import com.google.pubsub.v1.Subscription;
import dev.spream.core.StorageException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The check of a subscription before anything is received. */
record SubscriptionCheck(SubscriptionAdminClient client, boolean requireOrdering) {
    private static final Logger log = LoggerFactory.getLogger(SubscriptionCheck.class);

    /**
     * Checks that the subscription exists and delivers as a projection needs it. An account that may receive but not
     * view the subscription passes without the check.
     *
     * @throws IllegalArgumentException if it does not exist, or delivers in another way; the message says what to do
     * @throws StorageException if the server cannot be reached
     */
    void require(String name) {
        try {
            judge(name, client.getSubscription(name));
        } catch (ApiException e) {
            switch (e.getStatusCode().getCode()) {
                case NOT_FOUND -> throw new IllegalArgumentException(missing(name), e);
                case PERMISSION_DENIED ->
                    log.warn(
                            "the account in use may not view {}, so it is not checked whether it exists and has message ordering; grant roles/pubsub.viewer on it",
                            name);
                default -> throw failed(name, e);
            }
        }
    }

    private void judge(String name, Subscription subscription) {
        if (!subscription.getPushConfig().getPushEndpoint().isEmpty()
                || subscription.hasBigqueryConfig()
                || subscription.hasCloudStorageConfig()) {
            throw new IllegalArgumentException(
                    "subscription %s is a push subscription, so messages cannot be received from it; %s"
                            .formatted(name, create(name)));
        }
        if (subscription.getDetached()) {
            throw new IllegalArgumentException(
                    "subscription %s is detached from its topic; %s".formatted(name, create(name)));
        }
        if (!subscription.getEnableMessageOrdering()) {
            unordered(name);
        }
    }

    private void unordered(String name) {
        if (requireOrdering) {
            throw new IllegalArgumentException(
                    "subscription %s has no message ordering, so the events of an aggregate would be delivered in any order. Ordering cannot be enabled later: %s. Or set %s=false: then an aggregate is parked each time an event is delivered before its predecessor"
                            .formatted(name, create(name), EventSourceOptions.key("require-ordering")));
        }
        log.warn(
                "subscription {} has no message ordering: an aggregate is parked each time an event is delivered before its predecessor",
                name);
    }

    static StorageException failed(String name, Throwable failure) {
        Code code = failure instanceof ApiException refused
                ? refused.getStatusCode().getCode()
                : Code.UNKNOWN;
        String advice =
                switch (code) {
                    case NOT_FOUND -> ": " + missing(name);
                    case PERMISSION_DENIED ->
                        "; grant roles/pubsub.subscriber on it to the account in use: 'gcloud pubsub subscriptions add-iam-policy-binding %s --project=%s --role=roles/pubsub.subscriber --member=<account>'"
                                .formatted(last(name), project(name));
                    case UNAUTHENTICATED ->
                        "; the credentials were refused: check %s, or renew the application default credentials"
                                .formatted(EventSourceOptions.key("credentials-file"));
                    case UNAVAILABLE, DEADLINE_EXCEEDED ->
                        "; if this continues, check %s and the network".formatted(EventSourceOptions.key("endpoint"));
                    default -> "";
                };
        return new StorageException(
                "no events can be received from %s (%s)%s; unacknowledged events are delivered again"
                        .formatted(name, code == Code.UNKNOWN ? failure : code, advice),
                PublishFailures.TRANSIENT.contains(code),
                failure);
    }

    private static String missing(String name) {
        return "subscription %s does not exist: %s, or correct %s"
                .formatted(name, create(name), EventSourceOptions.key("subscription"));
    }

    private static String create(String name) {
        return "create one with 'gcloud pubsub subscriptions create <name> --project=%s --topic=<topic> --enable-message-ordering', as %s is to be"
                .formatted(project(name), last(name));
    }

    private static String project(String name) {
        return name.split("/", -1)[1];
    }

    private static String last(String name) {
        return name.substring(name.lastIndexOf('/') + 1);
    }
}
