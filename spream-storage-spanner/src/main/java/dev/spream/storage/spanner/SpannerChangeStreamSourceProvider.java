package dev.spream.storage.spanner;

import com.google.auto.service.AutoService;
import com.google.cloud.spanner.Options.RpcPriority;
import com.google.spanner.v1.DirectedReadOptions;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.storage.spanner.connection.DirectedReads;
import dev.spream.storage.spanner.connection.SpannerConnectionKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The source {@code spanner}: a {@link SpannerChangeStreamSource} on a connection of its own. */
@AutoService(ChangeStreamSourceProvider.class)
public final class SpannerChangeStreamSourceProvider implements ChangeStreamSourceProvider {
    private static final ConfigKey<DatabaseName> DATABASE = ConfigKey.of(
                    "database", SpannerConfigTypes.database(), "Database of the change stream.")
            .required();
    private static final ConfigKey<String> STREAM = ConfigKey.of(
                    "stream", SpannerConfigTypes.stream(), "Name of the change stream.")
            .required();
    private static final ConfigKey<String> READ_FUNCTION = ConfigKey.of(
                    "read-function",
                    SpannerConfigTypes.readFunction(),
                    "Name of the function that reads the stream, such as the one of a placement.")
            .withDefaultMeaning("the function of the whole stream");
    private static final SpannerConnectionKeys CONNECTION = SpannerConnectionKeys.SOURCE;
    private static final ConfigKey<String> ROLE =
            ConfigKey.of("role", ConfigType.text(), "Database role used for reading.");
    private static final ConfigKey<Priority> PRIORITY = ConfigKey.of(
                    "priority", ConfigType.choice(Priority.class), "Request priority of the queries.")
            .withDefault(Priority.HIGH);
    private static final ConfigKey<String> REQUEST_TAG =
            ConfigKey.of("request-tag", ConfigType.text(), "Request tag, shown in Spanner's query statistics.");
    private static final ConfigKey<DirectedReadOptions> DIRECTED_READS = ConfigKey.of(
                    "directed-reads",
                    new ConfigType<>(DirectedReads.FORM, DirectedReads::parse, DirectedReads::text),
                    "Replicas that serve the change stream, such as include:us-east1/read-only; only: uses no others,"
                            + " exclude: avoids them.")
            .withDefaultMeaning("any replicas");
    private static final ConfigKey<Integer> PREFETCH_CHUNKS = ConfigKey.of(
                    "prefetch-chunks",
                    ConfigType.integer(1, 10_000),
                    "Maximum number of prefetched chunks of a partition in the client; a chunk usually holds one"
                            + " record.")
            .withDefault(SpannerChangeStreamSource.DEFAULT_PREFETCH_CHUNKS);
    private static final ConfigKey<Integer> MAX_OPEN_QUERIES = ConfigKey.of(
                    "max-open-queries",
                    ConfigType.integer(1, SpannerConnection.MAX_OPEN_QUERIES),
                    "Maximum number of concurrent partition queries. About a hundred share a gRPC channel.")
            .withDefault(SpannerConnection.DEFAULT_OPEN_QUERIES);
    private static final ConfigKey<Duration> CONNECT_TIMEOUT = ConfigKey.of(
                    "connect-timeout",
                    ConfigType.duration(Duration.ofMillis(100), Duration.ofMinutes(5)),
                    "Time limit of a request for metadata of the stream.")
            .withDefault(SpannerChangeStreamSource.DEFAULT_CONNECT_TIMEOUT);

    private static final ConfigKey<Integer> SNAPSHOT_CHUNK_ROWS = ConfigKey.of(
                    "snapshot-chunk-rows",
                    ConfigType.integer(1, 1_000_000),
                    "Number of rows of a chunk of a snapshot. A chunk that was not settled completely is read again"
                            + " after a restart; each is a stored partition. A stored subscription keeps its number.")
            .withDefault(SpannerChangeStreamSource.DEFAULT_SNAPSHOT_CHUNK_ROWS);
    private static final ConfigKey<Integer> SNAPSHOT_READS = ConfigKey.of(
                    "snapshot-reads",
                    ConfigType.integer(1, 1_000),
                    "Maximum number of chunks of a snapshot that this worker reads at the same time.")
            .withDefault(SpannerChangeStreamSource.DEFAULT_SNAPSHOT_READS);

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
        return CONNECTION.between(
                List.of(DATABASE, STREAM, READ_FUNCTION),
                List.of(
                        ROLE,
                        PRIORITY,
                        REQUEST_TAG,
                        DIRECTED_READS,
                        PREFETCH_CHUNKS,
                        MAX_OPEN_QUERIES,
                        CONNECT_TIMEOUT,
                        SNAPSHOT_CHUNK_ROWS,
                        SNAPSHOT_READS));
    }

    @Override
    public List<String> problems(PluginConfig config) {
        List<String> problems =
                new ArrayList<>(CONNECTION.problems(config, SpannerConnectionKeys.emulatorOfEnvironment()));
        int needed = SpannerConnection.Builder.channelsFor(config.get(MAX_OPEN_QUERIES));
        config.find(CONNECTION.channels())
                .filter(channels -> channels < needed)
                .ifPresent(channels -> problems.add(
                        "channels is %d, which is too few for max-open-queries=%d: set at least %d, or lower max-open-queries"
                                .formatted(channels, config.get(MAX_OPEN_QUERIES), needed)));
        return problems;
    }

    @Override
    public ChangeStreamSource create(PluginConfig config, PluginContext context) {
        SpannerConnection.Builder connection = SpannerConnection.builder(config.get(DATABASE))
                .maxOpenQueries(config.get(MAX_OPEN_QUERIES))
                .configured(config, CONNECTION);
        config.find(ROLE).ifPresent(connection::databaseRole);
        SpannerConnection open = connection.open();
        context.onClose(open);
        SpannerChangeStreamSource.Builder source = open.source(config.get(STREAM))
                .priority(config.get(PRIORITY).ofClient)
                .prefetchChunks(config.get(PREFETCH_CHUNKS))
                .connectTimeout(config.get(CONNECT_TIMEOUT))
                .snapshotChunkRows(config.get(SNAPSHOT_CHUNK_ROWS))
                .snapshotReads(config.get(SNAPSHOT_READS));
        config.find(REQUEST_TAG).ifPresent(source::requestTag);
        config.find(READ_FUNCTION).ifPresent(source::readFunction);
        config.find(DIRECTED_READS).ifPresent(source::directedReads);
        return source.build();
    }
}
