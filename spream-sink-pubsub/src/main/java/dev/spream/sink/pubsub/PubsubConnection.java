package dev.spream.sink.pubsub;

import com.google.api.gax.batching.BatchingSettings;
import com.google.api.gax.core.CredentialsProvider;
import com.google.api.gax.core.FixedCredentialsProvider;
import com.google.api.gax.core.GoogleCredentialsProvider;
import com.google.api.gax.core.NoCredentialsProvider;
import com.google.api.gax.grpc.ChannelPoolSettings;
import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.api.gax.retrying.RetrySettings;
import com.google.api.gax.rpc.StatusCode;
import com.google.auth.oauth2.GoogleCredentials;
import com.google.cloud.pubsub.v1.TopicAdminClient;
import com.google.cloud.pubsub.v1.TopicAdminSettings;
import dev.spream.sink.pubsub.PubsubOptions.Server;
import dev.spream.sink.pubsub.PubsubOptions.Use;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Factory of Google's clients: endpoint, credentials and the client's own retries. */
final class PubsubConnection {
    /** The number of HTTP/2 streams that a connection to Google's servers carries; further ones wait unnoticed. */
    private static final int STREAMS_PER_CHANNEL = 100;

    private static final Duration FIRST_ATTEMPT = Duration.ofSeconds(10);

    private PubsubConnection() {}

    /**
     * Creates a client, which connects with its first call.
     *
     * @throws IOException if there are no credentials, or they cannot be read
     */
    @SuppressWarnings("rawtypes") // the type of a channel's configurator is raw
    static TopicAdminClient open(PubsubOptions options) throws IOException {
        TopicAdminSettings.Builder settings = TopicAdminSettings.newBuilder();
        InstantiatingGrpcChannelProvider.Builder channels = TopicAdminSettings.defaultGrpcTransportProviderBuilder()
                .setChannelPoolSettings(
                        ChannelPoolSettings.staticallySized(Math.ceilDiv(options.maxRequests(), STREAMS_PER_CHANNEL)));
        switch (options.server()) {
            case Server.Emulator emulator ->
                channels.setEndpoint(emulator.host()).setChannelConfigurator(ManagedChannelBuilder::usePlaintext);
            case Server.Google google -> google.endpoint().ifPresent(settings::setEndpoint);
        }
        settings.setCredentialsProvider(credentials(options.server(), options.use()));
        RetrySettings retries = retries(options.publishTimeout());
        settings.setTransportChannelProvider(channels.build());
        settings.publishSettings()
                .setBatchingSettings(
                        BatchingSettings.newBuilder().setIsEnabled(false).build())
                .setRetryableCodes(options.use() == Use.SINK ? PublishFailures.TRANSIENT : Set.of())
                .setRetrySettings(retries);
        settings.getTopicSettings()
                .setRetryableCodes(StatusCode.Code.UNAVAILABLE, StatusCode.Code.DEADLINE_EXCEEDED)
                .setRetrySettings(retries);
        return create(settings, options);
    }

    /** Creates the client. A failure concerns the credentials: Pub/Sub is not called yet. */
    private static TopicAdminClient create(TopicAdminSettings.Builder settings, PubsubOptions options)
            throws IOException {
        try {
            return TopicAdminClient.create(settings.build());
        } catch (IOException e) {
            throw new IOException(
                    "nothing can be published to %s: %s; configure %s, or run 'gcloud auth application-default login'"
                            .formatted(
                                    options.topic(),
                                    e.getMessage(),
                                    options.use().key("credentials-file")),
                    e);
        }
    }

    static CredentialsProvider credentials(Server server, Use use) throws IOException {
        if (!(server instanceof Server.Google google)) {
            return NoCredentialsProvider.create();
        }
        List<String> scopes = TopicAdminSettings.getDefaultServiceScopes();
        if (google.credentials().isEmpty()) {
            return GoogleCredentialsProvider.newBuilder()
                    .setScopesToApply(scopes)
                    .build();
        }
        Path file = google.credentials().get();
        try (InputStream in = Files.newInputStream(file)) {
            return FixedCredentialsProvider.create(
                    GoogleCredentials.fromStream(in).createScoped(scopes));
        } catch (IOException | RuntimeException e) {
            throw new IOException(
                    "%s: %s contains no valid credentials; expected the key of a service account, or the configuration of a workload identity"
                            .formatted(use.key("credentials-file"), file),
                    e);
        }
    }

    private static RetrySettings retries(Duration total) {
        Duration first = total.compareTo(FIRST_ATTEMPT) < 0 ? total : FIRST_ATTEMPT;
        return RetrySettings.newBuilder()
                .setInitialRetryDelayDuration(Duration.ofMillis(50))
                .setRetryDelayMultiplier(2)
                .setMaxRetryDelayDuration(Duration.ofSeconds(5))
                .setInitialRpcTimeoutDuration(first)
                .setRpcTimeoutMultiplier(2)
                .setMaxRpcTimeoutDuration(total)
                .setTotalTimeoutDuration(total)
                .build();
    }
}
