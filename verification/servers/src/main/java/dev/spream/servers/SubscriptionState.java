package dev.spream.servers;

import com.google.pubsub.v1.PubsubMessage;
import com.google.pubsub.v1.ReceivedMessage;
import com.google.pubsub.v1.Subscription;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A subscription of a {@link SubscriberServer}, guarded by its lock. A message with an ordering key that is released,
 * or whose deadline expires, is delivered again, as are later ones of the key: their earlier ack ids become invalid.
 *
 * @see <a href="https://cloud.google.com/pubsub/docs/ordering">Pub/Sub: order messages</a>
 */
final class SubscriptionState {
    /** A message that is not acknowledged. */
    private static final class Kept {
        private final PubsubMessage message;
        private @Nullable String ackId; // while it is in flight
        private @Nullable PullStream stream;

        Kept(PubsubMessage message) {
            this.message = message;
        }

        void back() {
            ackId = null;
            stream = null;
        }
    }

    private final Subscription subscription;
    private final List<Kept> kept = new ArrayList<>();
    private final List<PullStream> streams = new ArrayList<>();
    private long ackIds;

    SubscriptionState(Subscription subscription) {
        this.subscription = subscription;
    }

    Subscription subscription() {
        return subscription;
    }

    void add(PubsubMessage message) {
        kept.add(new Kept(message));
        deliver();
    }

    void open(PullStream stream) {
        streams.add(stream);
        deliver();
    }

    void end(Status status) {
        streams.forEach(stream -> stream.end(status));
        streams.clear();
    }

    int held() {
        return (int) kept.stream().filter(message -> message.ackId != null).count();
    }

    int streams() {
        return (int) streams.stream().filter(PullStream::isOpen).count();
    }

    int left() {
        return kept.size();
    }

    void acknowledge(Collection<String> ids) {
        Set<String> acknowledged = new HashSet<>(ids);
        kept.removeIf(message -> message.ackId != null && acknowledged.contains(message.ackId));
        deliver();
    }

    void giveBack(Collection<String> ids) {
        Set<String> back = new HashSet<>(ids);
        giveBack(message -> back.contains(message.ackId));
    }

    void expire() {
        giveBack(message -> true);
    }

    private void giveBack(Predicate<Kept> which) {
        Set<String> keys = new HashSet<>();
        for (Kept message : kept) {
            String key = message.message.getOrderingKey();
            if (message.ackId != null && (which.test(message) || keys.contains(key))) {
                message.back();
                if (!key.isEmpty() && subscription.getEnableMessageOrdering()) {
                    keys.add(key);
                }
            }
        }
        deliver();
    }

    /** Sends messages that are not in flight, in order; those of an ordering key in flight go to one stream. */
    private void deliver() {
        streams.removeIf(stream -> !stream.isOpen());
        Map<PullStream, List<ReceivedMessage>> sent = new HashMap<>();
        Map<String, PullStream> streamOfKey = new HashMap<>();
        Set<String> held = new HashSet<>();
        for (Kept message : kept) {
            String key = subscription.getEnableMessageOrdering() ? message.message.getOrderingKey() : "";
            if (message.stream != null) {
                streamOfKey.put(key, message.stream);
                continue;
            }
            PullStream stream = key.isEmpty() ? free() : streamOfKey.computeIfAbsent(key, any -> free());
            if (stream == null || held.contains(key) || !stream.isOpen() || out(stream) >= stream.limit()) {
                if (!key.isEmpty()) {
                    held.add(key);
                }
                continue;
            }
            message.ackId = "ack-" + ++ackIds;
            message.stream = stream;
            sent.computeIfAbsent(stream, any -> new ArrayList<>())
                    .add(ReceivedMessage.newBuilder()
                            .setAckId(message.ackId)
                            .setMessage(message.message)
                            .build());
        }
        sent.forEach((stream, messages) -> stream.send(subscription, messages));
    }

    /** Returns the stream with the fewest messages in flight. */
    private @Nullable PullStream free() {
        PullStream least = null;
        for (PullStream stream : streams) {
            if (least == null || out(stream) < out(least)) {
                least = stream;
            }
        }
        return least;
    }

    private long out(PullStream stream) {
        return kept.stream().filter(message -> stream.equals(message.stream)).count();
    }
}
