package dev.spream.storage.spanner;

import com.google.auto.service.AutoService;
import com.google.cloud.spanner.Options.RpcPriority;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.source.ChangeStreamSource;
import java.time.Duration;
import java.util.List;

/** The source {@code spanner}: a {@link SpannerChangeStreamSource} on a connection of its own. */
@AutoService(ChangeStreamSourceProvider.class)
public final class SpannerChangeStreamSourceProvider implements ChangeStreamSourceProvider {
    private static final ConfigKey<DatabaseName> DATABASE = ConfigKey.of(
                    "database", SpannerConfigTypes.database(), "The database that has the change stream.")
            .required();
    private static final ConfigKey<String> STREAM = ConfigKey.of(
                    "stream", SpannerConfigTypes.stream(), "The change stream to read.")
            .required();
    private static final ConfigKey<String> EMULATOR_HOST = ConfigKey.of(
                    "emulator-host", SpannerConfigTypes.hostAndPort(), "An emulator to use instead of Spanner.")
            .withDefaultMeaning("that of SPANNER_EMULATOR_HOST, if set");
    private static final ConfigKey<String> ROLE =
            ConfigKey.of("role", ConfigType.text(), "The database role to read as.");
    private static final ConfigKey<Priority> PRIORITY = ConfigKey.of(
                    "priority", ConfigType.choice(Priority.class), "The priority of the queries in the instance.")
            .withDefault(Priority.HIGH);
    private static final ConfigKey<String> REQUEST_TAG =
            ConfigKey.of("request-tag", ConfigType.text(), "A tag that Spanner's query statistics show.");
    private static final ConfigKey<Integer> PREFETCH_CHUNKS = ConfigKey.of(
                    "prefetch-chunks",
                    ConfigType.integer(1, 10_000),
                    "How many chunks of a partition, of a record each as a rule, the client may hold that were not read yet.")
            .withDefault(SpannerChangeStreamSource.DEFAULT_PREFETCH_CHUNKS);
    private static final ConfigKey<Integer> MAX_OPEN_QUERIES = ConfigKey.of(
                    "max-open-queries",
                    ConfigType.integer(1, SpannerConnection.MAX_OPEN_QUERIES),
                    "How many partitions may be read at the same time. About a hundred share a gRPC channel.")
            .withDefault(SpannerConnection.DEFAULT_OPEN_QUERIES);
    private static final ConfigKey<Duration> CONNECT_TIMEOUT = ConfigKey.of(
                    "connect-timeout",
                    ConfigType.duration(Duration.ofMillis(100), Duration.ofMinutes(5)),
                    "How long the answer to a question about the stream may take.")
            .withDefault(SpannerChangeStreamSource.DEFAULT_CONNECT_TIMEOUT);

    private enum Priority {
        LOW(RpcPriority.LOW),
        MEDIUM(RpcPriority.MEDIUM),
        HIGH(RpcPriority.HIGH);

        private final RpcPriority ofClient;

        Priority(RpcPriority ofClient) {
            this.ofClient = ofClient;
        }
    }

    @Override
    public String name() {
        return "spanner";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(
                DATABASE,
                STREAM,
                EMULATOR_HOST,
                ROLE,
                PRIORITY,
                REQUEST_TAG,
                PREFETCH_CHUNKS,
                MAX_OPEN_QUERIES,
                CONNECT_TIMEOUT);
    }

    @Override
    public ChangeStreamSource create(PluginConfig config, PluginContext context) {
        SpannerConnection.Builder connection =
                SpannerConnection.builder(config.get(DATABASE)).maxOpenQueries(config.get(MAX_OPEN_QUERIES));
        config.find(EMULATOR_HOST).ifPresent(connection::emulatorHost);
        config.find(ROLE).ifPresent(connection::databaseRole);
        SpannerConnection open = connection.open();
        context.onClose(open);
        SpannerChangeStreamSource.Builder source = open.source(config.get(STREAM))
                .priority(config.get(PRIORITY).ofClient)
                .prefetchChunks(config.get(PREFETCH_CHUNKS))
                .connectTimeout(config.get(CONNECT_TIMEOUT));
        config.find(REQUEST_TAG).ifPresent(source::requestTag);
        return source.build();
    }
}
