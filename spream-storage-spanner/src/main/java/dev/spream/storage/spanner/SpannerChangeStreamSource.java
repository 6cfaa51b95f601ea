package dev.spream.storage.spanner;

import static java.util.Objects.requireNonNull;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Options;
import com.google.cloud.spanner.Options.QueryOption;
import com.google.cloud.spanner.Options.RpcPriority;
import com.google.cloud.spanner.Statement;
import com.google.spanner.v1.DirectedReadOptions;
import dev.spream.core.DurationText;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.storage.spanner.client.Prefetch;
import dev.spream.storage.spanner.source.ChangeStreamStatement;
import dev.spream.storage.spanner.source.SpannerChangeStreamCursor;
import dev.spream.storage.spanner.source.StreamCatalog;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A change stream of a Spanner database, of either dialect, read with the google-cloud-spanner client.
 *
 * <p>The client belongs to the caller: closing the source cancels the source's queries and leaves the client open. One
 * client can serve any number of sources; {@link SpannerConnection} builds one that is sized for change streams, and that
 * notices connections which went silent: another client's keep-alive cannot be changed afterwards.
 *
 * <p>A broken stream is not resumed by the client behind the reader's back, as the client does with other queries: it
 * ends with a {@link SourceException}.
 *
 * <p>Safe for use by many threads.
 */
public final class SpannerChangeStreamSource implements ChangeStreamSource {
    static final int DEFAULT_PREFETCH_CHUNKS = 64;
    static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private final String stream;
    private final DatabaseClient client;
    private final StreamCatalog catalog;
    private final QueryOption[] queryOptions;
    private final long prefetchBytes;
    private final int maxOpenQueries;
    private final Set<ChangeStreamCursor> cursors = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;
    private volatile @Nullable PartitionMode partitionMode;

    private SpannerChangeStreamSource(Builder builder) {
        this.stream = builder.stream.value();
        this.client = builder.client;
        this.catalog = new StreamCatalog(builder.client, builder.connectTimeout);
        this.queryOptions = builder.queryOptions();
        this.prefetchBytes = builder.prefetchBytes;
        this.maxOpenQueries = builder.maxOpenQueries;
    }

    /**
     * The stream of that name, with default options. Asks the server nothing yet.
     *
     * @throws IllegalArgumentException if the name cannot be that of a change stream
     */
    public static SpannerChangeStreamSource open(DatabaseClient client, String streamName) {
        return builder(client, streamName).build();
    }

    /**
     * Options for the stream of that name.
     *
     * @throws IllegalArgumentException if the name cannot be that of a change stream
     */
    public static Builder builder(DatabaseClient client, String streamName) {
        return new Builder(client, streamName);
    }

    @Override
    public String streamName() {
        return stream;
    }

    @Override
    public PartitionMode partitionMode() {
        PartitionMode mode = partitionMode;
        if (mode == null) {
            mode = catalog.partitionMode(stream);
            partitionMode = mode;
        }
        return mode;
    }

    @Override
    public Optional<Duration> retention() {
        return catalog.retention(stream);
    }

    @Override
    public int maxOpenQueries() {
        return maxOpenQueries;
    }

    @Override
    public Instant serverTime() {
        return catalog.serverTime();
    }

    /** Reads a partition; the query is sent by the first {@link ChangeStreamCursor#next}. */
    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        Dialect dialect = catalog.dialect();
        Statement statement = ChangeStreamStatement.statement(dialect, stream, query);
        String description = "reading partition %s of change stream %s from %s"
                .formatted(query.token().abbreviated(), stream, query.startTimestamp());
        Prefetch prefetch = new Prefetch(query.prefetchBytes().orElse(prefetchBytes));
        SpannerChangeStreamCursor cursor = new SpannerChangeStreamCursor(
                description, prefetch, () -> client.singleUse().executeQuery(statement, queryOptions), cursors::remove);
        cursors.add(cursor);
        if (closed) {
            cursor.close();
        }
        return cursor;
    }

    @Override
    public void close() {
        closed = true;
        cursors.forEach(ChangeStreamCursor::close);
    }

    /** Options of a source. Every one has a default. */
    public static final class Builder {
        private final DatabaseClient client;
        private final StreamName stream;
        private RpcPriority priority = RpcPriority.HIGH;
        private @Nullable String requestTag;
        private @Nullable DirectedReadOptions directedReads;
        private int prefetchChunks = DEFAULT_PREFETCH_CHUNKS;
        private long prefetchBytes = 4 * 1024 * 1024;
        private int maxOpenQueries = 400;
        private Duration connectTimeout = DEFAULT_CONNECT_TIMEOUT;

        private Builder(DatabaseClient client, String streamName) {
            this.client = requireNonNull(client, "client");
            this.stream = new StreamName(requireNonNull(streamName, "streamName"));
        }

        /** The priority of the queries in the instance; HIGH by default. Lower it where reading may lag behind. */
        public Builder priority(RpcPriority priority) {
            this.priority = requireNonNull(priority, "priority");
            return this;
        }

        /** A tag that Spanner's statistics show with the queries; none by default. */
        public Builder requestTag(String requestTag) {
            this.requestTag = requireNonNull(requestTag, "requestTag");
            return this;
        }

        /** Which replicas serve the queries; any by default. Takes load off the replicas that serve writes. */
        public Builder directedReads(DirectedReadOptions directedReads) {
            this.directedReads = requireNonNull(directedReads, "directedReads");
            return this;
        }

        /**
         * How many chunks of a stream the client may hold that were not read yet; 64 by default, which reads about twice
         * as fast as the client's own default of 4. The server chooses what is in a chunk: usually one record, of any
         * size. With a client that was not {@linkplain SpannerConnection#prepare prepared} nothing else limits what is
         * fetched ahead: lower it then where records are large and partitions are many.
         */
        public Builder prefetchChunks(int prefetchChunks) {
            if (prefetchChunks < 1) {
                throw new IllegalArgumentException("prefetchChunks must be at least 1, was " + prefetchChunks);
            }
            this.prefetchChunks = prefetchChunks;
            return this;
        }

        /**
         * How many bytes of a stream the client may hold that were not read yet, one chunk more than that at most, for
         * queries that do not say it themselves; 4 MiB by default. It needs a client that was {@linkplain
         * SpannerConnection#prepare prepared}. Bytes are those of the protocol: as Java objects they take a few times as
         * many.
         */
        public Builder prefetchBytes(long prefetchBytes) {
            if (prefetchBytes < 1) {
                throw new IllegalArgumentException("prefetchBytes must be at least 1, was " + prefetchBytes);
            }
            this.prefetchBytes = prefetchBytes;
            return this;
        }

        /**
         * How many queries the client's channels carry at the same time: about 100 each, less what else the client does.
         * By default 400, half of what a client carries that was built without a number of channels, and therefore has 8.
         * {@link SpannerConnection#source} sets it to what the connection was opened for.
         */
        public Builder maxOpenQueries(int maxOpenQueries) {
            if (maxOpenQueries < 1) {
                throw new IllegalArgumentException("maxOpenQueries must be at least 1, was " + maxOpenQueries);
            }
            this.maxOpenQueries = maxOpenQueries;
            return this;
        }

        /**
         * How long to wait for the answer to a question about the stream, such as its partition mode, the server's
         * unavailability included; 10 seconds by default.
         */
        public Builder connectTimeout(Duration connectTimeout) {
            if (!connectTimeout.isPositive()) {
                throw new IllegalArgumentException(
                        "connectTimeout must be positive, was " + DurationText.of(connectTimeout));
            }
            this.connectTimeout = connectTimeout;
            return this;
        }

        public SpannerChangeStreamSource build() {
            return new SpannerChangeStreamSource(this);
        }

        private QueryOption[] queryOptions() {
            List<QueryOption> options = new ArrayList<>();
            options.add(Options.priority(priority));
            options.add(Options.prefetchChunks(prefetchChunks));
            if (requestTag != null) {
                options.add(Options.tag(requestTag));
            }
            if (directedReads != null) {
                options.add(Options.directedRead(directedReads));
            }
            return options.toArray(QueryOption[]::new);
        }
    }
}
