package dev.spream.sink.pubsub;

import com.google.api.gax.batching.FlowControlSettings;
import com.google.api.gax.core.CredentialsProvider;
import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.cloud.pubsub.v1.MessageReceiverWithAckResponse;
import com.google.cloud.pubsub.v1.Subscriber;
import com.google.cloud.pubsub.v1.SubscriberShutdownSettings;
import com.google.cloud.pubsub.v1.SubscriberShutdownSettings.ShutdownMode;
import com.google.cloud.pubsub.v1.SubscriptionAdminClient;
import com.google.cloud.pubsub.v1.SubscriptionAdminSettings;
import dev.spream.sink.pubsub.PubsubOptions.Server;
import dev.spream.sink.pubsub.PubsubOptions.Use;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.time.Duration;

/** Factory of Google's subscriber clients: endpoint, credentials and flow control. Safe for use by many threads. */
final class SubscriberClients {
    private static final int MAX_INBOUND_BYTES = 20 << 20; // a response may have several messages of up to 10 MB
    private static final int MAX_INBOUND_METADATA_BYTES = 4 << 20;
    private static final Duration KEEP_ALIVE = Duration.ofMinutes(5);
    private static final Duration MORE = Duration.ofSeconds(1);
    private static final Duration SHUTDOWN = Duration.ofSeconds(5);

    private final EventSourceOptions options;
    private final CredentialsProvider credentials;

    /** @throws IOException if the file with credentials cannot be read */
    SubscriberClients(EventSourceOptions options) throws IOException {
        this.options = options;
        this.credentials = PubsubConnection.credentials(options.server(), Use.EVENT_SOURCE);
    }

    /** Returns a client for the check of subscriptions, which connects with its first call. */
    SubscriptionAdminClient admin() throws IOException {
        SubscriptionAdminSettings.Builder settings = SubscriptionAdminSettings.newBuilder();
        settings.setCredentialsProvider(credentials);
        settings.setTransportChannelProvider(channels());
        if (options.server() instanceof Server.Google google) {
            google.endpoint().ifPresent(settings::setEndpoint);
        }
        return SubscriptionAdminClient.create(settings.build());
    }

    /**
     * Returns a client that receives from a subscription once it is started. Stopping it returns unacknowledged
     * messages: the client would otherwise wait for their acknowledgement without a limit, and so delay the report of
     * its failure.
     */
    Subscriber subscriber(String subscription, MessageReceiverWithAckResponse receiver) {
        Subscriber.Builder builder = Subscriber.newBuilder(subscription, receiver)
                .setCredentialsProvider(credentials)
                .setChannelProvider(channels())
                .setFlowControlSettings(FlowControlSettings.newBuilder()
                        .setMaxOutstandingElementCount((long) options.maxMessages())
                        .setMaxOutstandingRequestBytes(options.maxBytes())
                        .build())
                .setMinDurationPerAckExtensionDuration(options.ackDeadline())
                .setMaxDurationPerAckExtensionDuration(options.ackDeadline().plus(MORE)) // must be longer
                .setMaxAckExtensionPeriodDuration(options.maxHold())
                .setSubscriberShutdownSettings(SubscriberShutdownSettings.newBuilder()
                        .setMode(ShutdownMode.NACK_IMMEDIATELY)
                        .setTimeout(SHUTDOWN)
                        .build());
        if (options.server() instanceof Server.Google google) {
            google.endpoint().ifPresent(builder::setEndpoint);
        }
        return builder.build();
    }

    @SuppressWarnings("rawtypes") // the type of a channel's configurator is raw
    private InstantiatingGrpcChannelProvider channels() {
        InstantiatingGrpcChannelProvider.Builder channels =
                SubscriptionAdminSettings.defaultGrpcTransportProviderBuilder()
                        .setMaxInboundMessageSize(MAX_INBOUND_BYTES)
                        .setMaxInboundMetadataSize(MAX_INBOUND_METADATA_BYTES)
                        .setKeepAliveTimeDuration(KEEP_ALIVE);
        if (options.server() instanceof Server.Emulator(String host)) {
            channels.setEndpoint(host).setChannelConfigurator(ManagedChannelBuilder::usePlaintext);
        }
        return channels.build();
    }
}
