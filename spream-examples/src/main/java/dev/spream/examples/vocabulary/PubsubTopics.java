package dev.spream.examples.vocabulary;

import com.google.api.gax.core.NoCredentialsProvider;
import com.google.api.gax.grpc.GrpcTransportChannel;
import com.google.api.gax.rpc.AlreadyExistsException;
import com.google.api.gax.rpc.FixedTransportChannelProvider;
import com.google.api.gax.rpc.TransportChannelProvider;
import com.google.cloud.pubsub.v1.SubscriptionAdminClient;
import com.google.cloud.pubsub.v1.SubscriptionAdminSettings;
import com.google.cloud.pubsub.v1.TopicAdminClient;
import com.google.cloud.pubsub.v1.TopicAdminSettings;
import com.google.pubsub.v1.Subscription;
import com.google.pubsub.v1.SubscriptionName;
import com.google.pubsub.v1.TopicName;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;

/** Creates the topic and the subscriptions of the service on an emulator, if they do not exist. */
final class PubsubTopics {
    private PubsubTopics() {}

    static void create(VocabularySettings settings) throws IOException {
        String host = settings.find(VocabularySettings.PUBSUB_EMULATOR_HOST).orElseThrow();
        ManagedChannel channel =
                ManagedChannelBuilder.forTarget(host).usePlaintext().build();
        try {
            create(settings, FixedTransportChannelProvider.create(GrpcTransportChannel.create(channel)));
        } finally {
            channel.shutdownNow();
        }
    }

    private static void create(VocabularySettings settings, TransportChannelProvider channel) throws IOException {
        String project = settings.pubsubProject();
        TopicName topic = TopicName.of(project, settings.pubsubTopic());
        try (TopicAdminClient topics = TopicAdminClient.create(TopicAdminSettings.newBuilder()
                        .setTransportChannelProvider(channel)
                        .setCredentialsProvider(NoCredentialsProvider.create())
                        .build());
                SubscriptionAdminClient subscriptions =
                        SubscriptionAdminClient.create(SubscriptionAdminSettings.newBuilder()
                                .setTransportChannelProvider(channel)
                                .setCredentialsProvider(NoCredentialsProvider.create())
                                .build())) {
            ifAbsent(() -> topics.createTopic(topic));
            for (String named : settings.pubsubSubscriptions().split(",", -1)) {
                String name = SubscriptionName.format(project, named.substring(named.indexOf('=') + 1));
                ifAbsent(() -> subscriptions.createSubscription(Subscription.newBuilder()
                        .setName(name)
                        .setTopic(topic.toString())
                        .setEnableMessageOrdering(true)
                        .build()));
            }
        }
    }

    private static void ifAbsent(Runnable creation) {
        try {
            creation.run();
        } catch (AlreadyExistsException e) {
            // exists already
        }
    }
}
