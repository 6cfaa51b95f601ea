package dev.spream.storage.spanner;

import static java.util.Objects.requireNonNull;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DecodeMode;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Options;
import com.google.cloud.spanner.Options.QueryOption;
import com.google.cloud.spanner.Options.ReadOption;
import com.google.cloud.spanner.Options.RpcPriority;
import com.google.cloud.spanner.Statement;
import com.google.spanner.v1.DirectedReadOptions;
import dev.spream.core.DurationText;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.storage.spanner.client.Prefetch;
import dev.spream.storage.spanner.source.ChangeStreamStatement;
import dev.spream.storage.spanner.source.Reading;
import dev.spream.storage.spanner.source.SpannerChangeStreamCursor;
import dev.spream.storage.spanner.source.StreamCatalog;
import dev.spream.storage.spanner.source.StreamReading;
import dev.spream.storage.spanner.source.TableSnapshots;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A change stream of a Spanner database, of either dialect, read with the google-cloud-spanner client.
 *
 * <p>The client belongs to the caller: closing the source cancels the source's queries and leaves the client open. One
 * client can serve any number of sources; {@link SpannerConnection} builds one that is sized for change streams and
 * detects silent connections; the keep-alive of another client cannot be changed afterwards.
 *
 * <p>A broken stream ends with a {@link SourceException}; the client does not resume it as it does with other queries.
 *
 * <p>Safe for use by many threads.
 */
public final class SpannerChangeStreamSource implements ChangeStreamSource {
    static final int DEFAULT_PREFETCH_CHUNKS = 64;
    /** The number of rows of a chunk of a snapshot by default. */
    public static final int DEFAULT_SNAPSHOT_CHUNK_ROWS = TableSnapshots.DEFAULT_CHUNK_ROWS;

    static final int DEFAULT_SNAPSHOT_READS = 16;
    static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private final String stream;
    private final Optional<String> readFunction;
    private final DatabaseClient client;
    private final StreamCatalog catalog;
    private final QueryOption[] queryOptions;
    private final long prefetchBytes;
    private final int maxOpenQueries;
    private final TableSnapshots snapshots;
    private final @Nullable SpannerConnection owned;
    private final Set<ChangeStreamCursor> cursors = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;
    private volatile @Nullable PartitionMode partitionMode;

    private SpannerChangeStreamSource(Builder builder) {
        this.stream = builder.stream.value();
        this.readFunction = Optional.ofNullable(builder.readFunction).map(ReadFunctionName::value);
        this.client = builder.client;
        this.catalog = new StreamCatalog(builder.client, builder.connectTimeout);
        this.queryOptions = builder.queryOptions();
        this.prefetchBytes = builder.prefetchBytes;
        this.maxOpenQueries = builder.maxOpenQueries;
        this.owned = builder.ownsConnection ? builder.connection : null;
        this.snapshots = new TableSnapshots(
                client,
                stream,
                catalog,
                this::partitionMode,
                Arrays.stream(queryOptions).map(ReadOption.class::cast).toArray(ReadOption[]::new),
                builder.snapshotChunkRows,
                builder.snapshotReads);
    }

    /**
     * Returns the stream of that name, with default options. Sends no request to the server.
     *
     * @throws IllegalArgumentException if the name is not a valid name of a change stream
     */
    public static SpannerChangeStreamSource open(DatabaseClient client, String streamName) {
        return builder(client, streamName).build();
    }

    /**
     * Returns the options for the stream of that name.
     *
     * @throws IllegalArgumentException if the name is not a valid name of a change stream
     */
    public static Builder builder(DatabaseClient client, String streamName) {
        return new Builder(client, null, streamName);
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

    @Override
    public Instant snapshotTime() {
        return catalog.readTimestamp();
    }

    @Override
    public PartitionToken snapshotQuery() {
        return snapshots.firstQuery();
    }

    @Override
    public Map<String, PartitionToken> addedSnapshot(Instant at, Collection<String> tables) {
        return snapshots.added(at, tables);
    }

    /** Returns how long the database keeps the rows of a snapshot: its version retention period. */
    public Duration versionRetention() {
        return snapshots.keptFor();
    }

    /**
     * Reads a partition; the query is sent by the first {@link ChangeStreamCursor#next}. The first call reads the dialect
     * of the database, and in PostgreSQL the {@link #partitionMode}, unless it or the read function is known.
     */
    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        Reading reading =
                query.token().isOfSnapshot() ? snapshots.reading(query, this::streamReading) : streamReading(query);
        String description = "reading partition %s of change stream %s from %s"
                .formatted(query.token().abbreviated(), stream, query.startTimestamp());
        Prefetch prefetch = new Prefetch(query.prefetchBytes().orElse(prefetchBytes));
        SpannerChangeStreamCursor cursor =
                new SpannerChangeStreamCursor(description, prefetch, reading, cursors::remove);
        cursors.add(cursor);
        if (closed) {
            cursor.close();
        }
        return cursor;
    }

    private Reading streamReading(PartitionQuery query) {
        Statement statement = statement(query);
        return new StreamReading(() -> client.singleUse().executeQuery(statement, queryOptions));
    }

    /** Returns the query; the partition mode decides its text in PostgreSQL alone. */
    private Statement statement(PartitionQuery query) {
        Dialect dialect = catalog.dialect();
        if (readFunction.isPresent()) {
            return ChangeStreamStatement.ofFunction(dialect, readFunction.get(), query);
        }
        return dialect == Dialect.POSTGRESQL
                ? ChangeStreamStatement.statement(dialect, partitionMode(), stream, query)
                : ChangeStreamStatement.statement(dialect, stream, query);
    }

    @Override
    public void close() {
        closed = true;
        try {
            cursors.forEach(ChangeStreamCursor::close);
        } finally {
            if (owned != null) {
                owned.close();
            }
        }
    }

    /** Options of a source. Every one has a default. */
    public static final class Builder {
        private final DatabaseClient client;
        private final StreamName stream;
        private final @Nullable SpannerConnection connection;
        private boolean ownsConnection;
        private @Nullable ReadFunctionName readFunction;
        private RpcPriority priority = RpcPriority.HIGH;
        private @Nullable String requestTag;
        private @Nullable DirectedReadOptions directedReads;
        private int prefetchChunks = DEFAULT_PREFETCH_CHUNKS;
        private long prefetchBytes = 4 * 1024 * 1024;
        private int maxOpenQueries = 400;
        private int snapshotChunkRows = DEFAULT_SNAPSHOT_CHUNK_ROWS;
        private int snapshotReads = DEFAULT_SNAPSHOT_READS;
        private Duration connectTimeout = DEFAULT_CONNECT_TIMEOUT;

        Builder(DatabaseClient client, @Nullable SpannerConnection connection, String streamName) {
            this.client = requireNonNull(client, "client");
            this.connection = connection;
            this.stream = new StreamName(requireNonNull(streamName, "streamName"));
        }

        /**
         * Sets the function that the queries call; by default the one of the whole stream, such as {@code READ_Orders}.
         * A stream with the option {@code per_placement_tvf} has one for each placement, such as {@code
         * READ_Orders_europe}. Each function has partitions of its own and needs a subscription of its own; a key that
         * moves to another placement has no order over the two.
         *
         * @param name without a schema, in the exact spelling
         * @throws IllegalArgumentException if the name is not an identifier
         */
        public Builder readFunction(String name) {
            this.readFunction = new ReadFunctionName(requireNonNull(name, "name"));
            return this;
        }

        /** Sets the priority of the queries in the instance; HIGH by default. Lower it where a lag is acceptable. */
        public Builder priority(RpcPriority priority) {
            this.priority = requireNonNull(priority, "priority");
            return this;
        }

        /** Sets a tag that Spanner's statistics show with the queries; none by default. */
        public Builder requestTag(String requestTag) {
            this.requestTag = requireNonNull(requestTag, "requestTag");
            return this;
        }

        /**
         * Sets the replicas that serve the queries; any by default. Can take load off the replicas that serve writes.
         */
        public Builder directedReads(DirectedReadOptions directedReads) {
            this.directedReads = requireNonNull(directedReads, "directedReads");
            return this;
        }

        /**
         * Sets the number of chunks of a stream that the client may prefetch; 64 by default, which reads about twice as
         * fast as the client's own default of 4. The server determines the content of a chunk: usually one record, of
         * any size. With a client that was not {@linkplain SpannerConnection#prepare prepared} this is the only limit
         * of prefetching: lower it then for large records and many partitions.
         */
        public Builder prefetchChunks(int prefetchChunks) {
            if (prefetchChunks < 1) {
                throw new IllegalArgumentException("prefetchChunks must be at least 1, was " + prefetchChunks);
            }
            this.prefetchChunks = prefetchChunks;
            return this;
        }

        /**
         * Sets the number of bytes of a stream that the client may prefetch, exceeded by at most one chunk, for queries
         * that do not set it; 4 MiB by default. Requires a client that was {@linkplain SpannerConnection#prepare
         * prepared}. Bytes are counted as sent; as Java objects they take a few times as many.
         */
        public Builder prefetchBytes(long prefetchBytes) {
            if (prefetchBytes < 1) {
                throw new IllegalArgumentException("prefetchBytes must be at least 1, was " + prefetchBytes);
            }
            this.prefetchBytes = prefetchBytes;
            return this;
        }

        /**
         * Sets the number of queries that may be open at the same time: about 100 for each channel of the client, less
         * its other requests. By default 400, half of the capacity of a client with the default of 8 channels. {@link
         * SpannerConnection#source} sets it to the number for which the connection was opened.
         */
        public Builder maxOpenQueries(int maxOpenQueries) {
            if (maxOpenQueries < 1) {
                throw new IllegalArgumentException("maxOpenQueries must be at least 1, was " + maxOpenQueries);
            }
            this.maxOpenQueries = maxOpenQueries;
            return this;
        }

        /**
         * Sets the time limit of a request about the stream, such as for its partition mode, including retries while
         * the server is unavailable; 10 seconds by default.
         */
        public Builder connectTimeout(Duration connectTimeout) {
            if (!connectTimeout.isPositive()) {
                throw new IllegalArgumentException(
                        "connectTimeout must be positive, was " + DurationText.of(connectTimeout));
            }
            this.connectTimeout = connectTimeout;
            return this;
        }

        /**
         * Sets the number of rows of a chunk of a snapshot, 10,000 by default. A chunk that was not settled completely
         * is read again after a restart; each is a stored partition. The number is stored with a new subscription; one
         * that is stored keeps its own.
         */
        public Builder snapshotChunkRows(int snapshotChunkRows) {
            if (snapshotChunkRows < 1) {
                throw new IllegalArgumentException("snapshotChunkRows must be at least 1, was " + snapshotChunkRows);
            }
            this.snapshotChunkRows = snapshotChunkRows;
            return this;
        }

        /** Sets the number of chunks of a snapshot that are read at the same time, 16 by default. */
        public Builder snapshotReads(int snapshotReads) {
            if (snapshotReads < 1) {
                throw new IllegalArgumentException("snapshotReads must be at least 1, was " + snapshotReads);
            }
            this.snapshotReads = snapshotReads;
            return this;
        }

        /**
         * Lets the source close the connection that it was made {@linkplain SpannerConnection#source from}, when it is closed.
         *
         * @throws IllegalStateException if it is made from a client, which its owner closes
         */
        public Builder ownsConnection() {
            if (connection == null) {
                throw new IllegalStateException("the source has a client and no connection to close");
            }
            ownsConnection = true;
            return this;
        }

        public SpannerChangeStreamSource build() {
            return new SpannerChangeStreamSource(this);
        }

        private QueryOption[] queryOptions() {
            List<QueryOption> options = new ArrayList<>();
            options.add(Options.priority(priority));
            options.add(Options.prefetchChunks(prefetchChunks));
            options.add(Options.decodeMode(DecodeMode.LAZY_PER_COL));
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
