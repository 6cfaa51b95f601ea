package dev.spream.sink.pubsub;

import com.google.api.gax.core.NoCredentialsProvider;
import com.google.api.gax.grpc.GrpcTransportChannel;
import com.google.api.gax.rpc.FixedTransportChannelProvider;
import com.google.api.gax.rpc.TransportChannelProvider;
import com.google.cloud.pubsub.v1.MessageReceiver;
import com.google.cloud.pubsub.v1.Subscriber;
import com.google.cloud.pubsub.v1.SubscriptionAdminClient;
import com.google.cloud.pubsub.v1.SubscriptionAdminSettings;
import com.google.cloud.pubsub.v1.TopicAdminClient;
import com.google.cloud.pubsub.v1.TopicAdminSettings;
import com.google.pubsub.v1.PubsubMessage;
import com.google.pubsub.v1.Subscription;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A new topic of an emulator, and what a subscription to it with message ordering receives. */
final class OrderedSubscription implements AutoCloseable {
    private static final String PROJECT = "projects/demo";

    private final String topic = PROJECT + "/topics/changes-" + UUID.randomUUID();
    private final ManagedChannel channel;
    private final Subscriber subscriber;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<PubsubMessage> received = new ArrayList<>(); // guarded by lock

    private OrderedSubscription(String host) throws IOException {
        this.channel = ManagedChannelBuilder.forTarget(host)
                .usePlaintext()
                .maxInboundMessageSize(20 << 20)
                .build();
        TransportChannelProvider transport = FixedTransportChannelProvider.create(GrpcTransportChannel.create(channel));
        String subscription = topic.replace("/topics/", "/subscriptions/");
        try (TopicAdminClient topics = TopicAdminClient.create(TopicAdminSettings.newBuilder()
                        .setTransportChannelProvider(transport)
                        .setCredentialsProvider(NoCredentialsProvider.create())
                        .build());
                SubscriptionAdminClient subscriptions =
                        SubscriptionAdminClient.create(SubscriptionAdminSettings.newBuilder()
                                .setTransportChannelProvider(transport)
                                .setCredentialsProvider(NoCredentialsProvider.create())
                                .build())) {
            topics.createTopic(topic);
            subscriptions.createSubscription(Subscription.newBuilder()
                    .setName(subscription)
                    .setTopic(topic)
                    .setEnableMessageOrdering(true)
                    .build());
        }
        MessageReceiver receiver = (message, reply) -> {
            add(message);
            reply.ack();
        };
        this.subscriber = Subscriber.newBuilder(subscription, receiver)
                .setChannelProvider(transport)
                .setCredentialsProvider(NoCredentialsProvider.create())
                .build();
    }

    static OrderedSubscription create(String host) throws IOException {
        OrderedSubscription subscription = new OrderedSubscription(host);
        subscription.subscriber.startAsync().awaitRunning();
        return subscription;
    }

    private void add(PubsubMessage message) {
        lock.lock();
        try {
            received.add(message);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    String topic() {
        return topic;
    }

    /** Returns the received messages, in order, once there are so many. */
    List<PubsubMessage> awaitReceived(int messages, Duration timeout) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = timeout.toNanos();
            while (received.size() < messages && left > 0) {
                left = changed.awaitNanos(left);
            }
            return List.copyOf(received);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() throws InterruptedException {
        subscriber.stopAsync().awaitTerminated();
        channel.shutdownNow();
        channel.awaitTermination(10, TimeUnit.SECONDS);
    }
}
