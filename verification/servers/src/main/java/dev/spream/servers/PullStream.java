package dev.spream.servers;

import com.google.pubsub.v1.ReceivedMessage;
import com.google.pubsub.v1.StreamingPullResponse;
import com.google.pubsub.v1.Subscription;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.List;

/** A streaming pull of a {@link SubscriberServer}, guarded by its lock. */
final class PullStream {
    private final ServerCallStreamObserver<StreamingPullResponse> out;
    private long limit = Long.MAX_VALUE;
    private boolean ended;

    PullStream(ServerCallStreamObserver<StreamingPullResponse> out) {
        this.out = out;
    }

    /** Limits the number of messages in flight; 0 for no limit. */
    void limit(long messages) {
        limit = messages == 0 ? Long.MAX_VALUE : messages;
    }

    long limit() {
        return limit;
    }

    boolean isOpen() {
        return !ended && !out.isCancelled();
    }

    void send(Subscription subscription, List<ReceivedMessage> messages) {
        out.onNext(StreamingPullResponse.newBuilder()
                .addAllReceivedMessages(messages)
                .setSubscriptionProperties(StreamingPullResponse.SubscriptionProperties.newBuilder()
                        .setMessageOrderingEnabled(subscription.getEnableMessageOrdering())
                        .setExactlyOnceDeliveryEnabled(subscription.getEnableExactlyOnceDelivery()))
                .build());
    }

    /** Ends the stream after its client has disconnected. */
    void gone() {
        ended = true;
    }

    void end(Status status) {
        if (!isOpen()) {
            return;
        }
        ended = true;
        if (status.isOk()) {
            out.onCompleted();
        } else {
            out.onError(new StatusException(status));
        }
    }
}
