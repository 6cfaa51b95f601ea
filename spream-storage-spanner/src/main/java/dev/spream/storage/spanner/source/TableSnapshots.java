package dev.spream.storage.spanner.source;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeyRange;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Options;
import com.google.cloud.spanner.Options.ReadOption;
import com.google.cloud.spanner.Options.RpcPriority;
import com.google.cloud.spanner.ReadOnlyTransaction;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.ResultSets;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.TimestampBound;
import com.google.cloud.spanner.Type;
import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.PartitionEndRecord;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.storage.spanner.client.Timestamps;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshot of a change stream's tables, as partitions of a subscription. Safe for use by many threads.
 *
 * <p>The first query returns a partition for the keys of each table. A partition of keys reads some thousand keys and
 * returns chunks, of as many rows as the first query says, and a partition of the keys after them; a chunk returns its
 * rows, as inserts at the time of the snapshot, and then the partition that continues the snapshot: the initial query
 * of the stream, a nanosecond later. That partition names {@link PartitionToken#SNAPSHOT_ROWS} as its parent, and so is
 * read when every partition of the snapshot is settled. A partition of a snapshot that was added to a subscription ends
 * by an end record instead, because the partitions of the stream are stored already.
 *
 * <p>Rows are read with the Read API, in the order of the primary key, which needs no SQL of either dialect and finds
 * keys with NULLs and descending columns. A chunk is its first key and a number of rows; both are the same whenever it
 * is read, because all reads are as of one time.
 */
public final class TableSnapshots {
    private static final Logger log = LoggerFactory.getLogger(TableSnapshots.class);

    /** The number of rows of a chunk by default. Stored snapshots depend on it, as on the next: neither may change. */
    public static final int DEFAULT_CHUNK_ROWS = 10_000;

    private static final int CHUNKS_PER_KEYS = 10;

    /** The bytes of a key up to which a chunk ends at it, if it can: a token is a key in Spanner, of 8 KiB at most. */
    private static final int MAX_KEY_BYTES = 6_000;

    /** The number of keys after which a heartbeat shows that a read continues; it takes far less than a stall. */
    private static final int KEYS_PER_HEARTBEAT = 1_000;

    private static final Duration DEFAULT_VERSION_RETENTION = Duration.ofHours(1);

    private final DatabaseClient client;
    private final String stream;
    private final StreamCatalog catalog;
    private final Supplier<PartitionMode> mode;
    private final ReadOption[] options;
    private final int chunkRows;
    private final Semaphore places;
    private final SnapshotProgress progress;
    private final Map<Instant, Plan> plans = new ConcurrentHashMap<>();

    /**
     * The tables as of one time.
     *
     * @param versionRetention how long the database keeps rows as of that time
     * @param estimated the tables whose rows are counted
     */
    private record Plan(Map<String, WatchedTable> tables, Duration versionRetention, Set<String> estimated) {}

    /**
     * @param options of each read
     * @param chunkRows the number of rows of a chunk in a new subscription
     * @param maxOpenReads the number of reads at the same time
     */
    public TableSnapshots(
            DatabaseClient client,
            String stream,
            StreamCatalog catalog,
            Supplier<PartitionMode> mode,
            ReadOption[] options,
            int chunkRows,
            int maxOpenReads) {
        this.client = client;
        this.stream = stream;
        this.catalog = catalog;
        this.mode = mode;
        this.options = options.clone();
        this.chunkRows = chunkRows;
        this.places = new Semaphore(maxOpenReads, true);
        this.progress = new SnapshotProgress(stream, InstantSource.system());
    }

    /** Returns how long the database keeps rows as of a time. */
    public Duration keptFor() {
        return catalog.ask("reading the version retention period of the database", this::versionRetention);
    }

    /** Returns the first query of a new subscription. */
    public PartitionToken firstQuery() {
        return SnapshotToken.tables(chunkRows);
    }

    /**
     * Returns the first partitions of a snapshot that is added to a subscription, by table.
     *
     * @throws SourceException if the stream does not watch one of the tables as of that time
     */
    public Map<String, PartitionToken> added(Instant at, Collection<String> tables) {
        Set<String> watched = catalog.ask(
                "reading the tables of change stream " + stream,
                () -> new WatchedTables(client, catalog.dialect(), stream)
                        .at(bound(at))
                        .keySet());
        tables.stream().filter(table -> !watched.contains(table)).findFirst().ifPresent(unknown -> {
            throw new SourceException(
                    SourceException.Kind.FATAL,
                    "change stream %s does not watch table %s, or this user may not read it; it watches %s. Names are case-sensitive; let the stream watch the table first (ALTER CHANGE STREAM)"
                            .formatted(stream, unknown, watched.isEmpty() ? "no table" : String.join(", ", watched)),
                    null);
        });
        return tables.stream()
                .distinct()
                .collect(Collectors.toMap(
                        Function.identity(),
                        table -> new PartitionToken(
                                SnapshotToken.table(true, table, at, chunkRows).text())));
    }

    /** Returns the read timestamp of a strong read now. */
    public static Instant readTimestamp(DatabaseClient client) {
        try (ReadOnlyTransaction strong = client.singleUseReadOnlyTransaction(TimestampBound.strong());
                ResultSet row = strong.executeQuery(Statement.of("SELECT 1"))) {
            while (row.next()) {
                // the timestamp is known after the last row
            }
            return Timestamps.toInstant(strong.getReadTimestamp());
        }
    }

    /**
     * Returns the reading of a partition of the snapshot.
     *
     * @param streamQuery makes the query of the partition that continues it
     */
    public Reading reading(PartitionQuery query, Function<PartitionQuery, Reading> streamQuery) {
        OptionalLong storedRows = SnapshotToken.chunkRows(query.token(), DEFAULT_CHUNK_ROWS);
        if (storedRows.isPresent()) {
            return new TablesReading(query.startTimestamp(), storedRows.getAsLong());
        }
        if (query.token().equals(SnapshotToken.STREAM)) {
            return new ContinuedReading(
                    streamQuery.apply(new PartitionQuery(
                            PartitionToken.ROOT,
                            query.startTimestamp(),
                            query.endTimestamp(),
                            query.heartbeatInterval(),
                            query.prefetchBytes())),
                    query);
        }
        SnapshotToken token = SnapshotToken.of(query.token());
        return switch (token.kind()) {
            case KEYS -> new KeysReading(query, token);
            case CHUNK -> new ChunkReading(query, token);
        };
    }

    /** @param only the table of which rows are read; empty for all */
    private Plan plan(Instant at, Optional<String> only) {
        Plan plan = plans.get(at);
        if (plan == null) {
            plan = catalog.ask(
                    "reading the tables of change stream " + stream,
                    () -> new Plan(
                            new WatchedTables(client, catalog.dialect(), stream).at(bound(at)),
                            versionRetention(),
                            ConcurrentHashMap.newKeySet()));
            plans.put(at, plan);
        }
        estimate(plan, only.isPresent() ? Set.of(only.get()) : plan.tables().keySet());
        return plan;
    }

    private static TimestampBound bound(Instant at) {
        return TimestampBound.ofReadTimestamp(Timestamps.toTimestamp(at));
    }

    private Duration versionRetention() {
        try (ResultSet row = client.singleUse()
                .executeQuery(Statement.of("select option_value from information_schema.database_options"
                        + " where option_name = 'version_retention_period'"))) {
            return row.next()
                    ? RetentionPeriod.parse(row.getString(0)).orElse(DEFAULT_VERSION_RETENTION)
                    : DEFAULT_VERSION_RETENTION;
        }
    }

    /** Counts rows, once for each table; a count that fails leaves its table without an estimate. */
    private void estimate(Plan plan, Collection<String> tables) {
        List<String> uncounted = tables.stream().filter(plan.estimated()::add).toList();
        if (!uncounted.isEmpty()) {
            Thread.ofVirtual().name("spream-" + stream + "-estimate").start(() -> count(uncounted));
        }
    }

    private void count(List<String> tables) {
        char quote = catalog.dialect() == Dialect.POSTGRESQL ? '"' : '`';
        for (String table : tables) {
            String quoted = quote + table.replace(".", quote + "." + quote) + quote;
            try (ResultSet row = client.singleUse()
                    .executeQuery(Statement.of("select count(*) from " + quoted), Options.priority(RpcPriority.LOW))) {
                row.next();
                progress.estimate(table, row.getLong(0));
            } catch (SpannerException e) {
                log.info("[{}] the rows of {} were not counted: {}", stream, table, LoggedFailure.message(e));
            }
        }
    }

    private ReadOption[] withLimit(long rows) {
        ReadOption[] limited = Arrays.copyOf(options, options.length + 1);
        limited[options.length] = Options.limit(rows);
        return limited;
    }

    private static KeySet after(String key) {
        Key from = KeyText.key(key);
        return KeySet.range(
                key.equals(KeyText.NONE) ? KeyRange.closedClosed(from, Key.of()) : KeyRange.openClosed(from, Key.of()));
    }

    /** Returns the end of a partition: its children, and in a stream with mutable key ranges the end record. */
    private List<ChangeRecord> ending(PartitionQuery query, Instant at, List<ChildPartition> children) {
        List<ChangeRecord> records = new ArrayList<>();
        records.add(new ChildPartitionsRecord(at, "", children));
        if (mode.get() == PartitionMode.MUTABLE_KEY_RANGE) {
            records.add(new PartitionEndRecord(at, "", query.token().value()));
        }
        return records;
    }

    /** Returns the end of a partition without further ones. */
    private List<ChangeRecord> continued(PartitionQuery query, SnapshotToken token) {
        Instant snapshotTime = token.at();
        if (token.added()) {
            return List.of(new PartitionEndRecord(
                    snapshotTime.plusNanos(1), "", query.token().value()));
        }
        return ending(
                query,
                snapshotTime.plusNanos(1),
                List.of(new ChildPartition(
                        SnapshotToken.STREAM.value(), List.of(PartitionToken.SNAPSHOT_ROWS.value()))));
    }

    /** The first query: the keys of each table. */
    private final class TablesReading implements Reading {
        private final Instant snapshotTime;
        private final long storedRows;
        private List<ChildPartition> tables = List.of();

        TablesReading(Instant snapshotTime, long storedRows) {
            this.snapshotTime = snapshotTime;
            this.storedRows = storedRows;
        }

        @Override
        public ResultSet open() {
            Plan plan = plan(snapshotTime, Optional.empty());
            if (plan.tables().isEmpty()) {
                throw new SourceException(
                        SourceException.Kind.FATAL,
                        "change stream %s watches no table that this user may read, so there is nothing to take a snapshot of: run without a snapshot"
                                .formatted(stream),
                        null);
            }
            tables = plan.tables().keySet().stream()
                    .map(table -> new ChildPartition(
                            SnapshotToken.table(false, table, snapshotTime, storedRows)
                                    .text(),
                            List.of()))
                    .toList();
            log.info(
                    "[{}] snapshot of {} tables as of {}; the database keeps rows as of then for {}, within which the snapshot must end, and within the retention period of the stream",
                    stream,
                    tables.size(),
                    snapshotTime,
                    DurationText.of(plan.versionRetention()));
            return ResultSets.forRows(Type.struct(), List.of());
        }

        @Override
        public List<ChangeRecord> row(ResultSet row) {
            return List.of();
        }

        @Override
        public List<ChangeRecord> end() {
            return List.of(new ChildPartitionsRecord(snapshotTime, "", tables));
        }
    }

    /** A read of a table, in one of the places for reads. */
    private abstract class TableReading implements Reading {
        final PartitionQuery query;
        final SnapshotToken token;
        private boolean placed;

        TableReading(PartitionQuery query, SnapshotToken token) {
            this.query = query;
            this.token = token;
        }

        /** Returns the time of the snapshot; the query of a chunk that was settled may start a nanosecond later. */
        Instant snapshotTime() {
            return token.at();
        }

        Plan plan() {
            return TableSnapshots.this.plan(
                    snapshotTime(), token.added() ? Optional.of(token.table()) : Optional.empty());
        }

        WatchedTable table() {
            WatchedTable table = plan().tables().get(token.table());
            if (table == null) {
                throw new SourceException(
                        SourceException.Kind.FATAL,
                        "table %s of the snapshot as of %s is not among the tables of change stream %s that this user may read as of then; its rows are not delivered. Grant the user what it had when the snapshot began"
                                .formatted(token.table(), snapshotTime(), stream),
                        null);
            }
            return table;
        }

        @Override
        public Optional<ChangeRecord> await() throws InterruptedException {
            placed = places.tryAcquire(query.heartbeatInterval().toNanos(), TimeUnit.NANOSECONDS);
            return placed ? Optional.empty() : Optional.of(new HeartbeatRecord(query.startTimestamp()));
        }

        ResultSet read(List<String> columns, long limit) {
            return client.singleUse(bound(snapshotTime()))
                    .read(token.table(), after(token.after()), columns, withLimit(limit));
        }

        @Override
        public void close() {
            if (placed) {
                placed = false;
                places.release();
            }
        }
    }

    /** Keys of a table: its next chunks. */
    private final class KeysReading extends TableReading {
        private final List<ChildPartition> children = new ArrayList<>();
        private final long limit;
        private String chunkAfter;
        private String last;
        private long rows;
        private long chunked; // those of them that are in chunks

        KeysReading(PartitionQuery query, SnapshotToken token) {
            super(query, token);
            this.limit = token.rows() * CHUNKS_PER_KEYS;
            this.chunkAfter = token.after();
            this.last = token.after();
        }

        @Override
        public ResultSet open() {
            return read(table().keyNames(), limit);
        }

        @Override
        public List<ChangeRecord> row(ResultSet row) {
            last = KeyText.of(row, table().key().size());
            rows++;
            if (rows - chunked >= token.rows() && last.getBytes(StandardCharsets.UTF_8).length <= MAX_KEY_BYTES) {
                addChunk();
            }
            return rows % KEYS_PER_HEARTBEAT == 0 ? List.of(new HeartbeatRecord(query.startTimestamp())) : List.of();
        }

        private void addChunk() {
            children.add(child(token.chunk(rows - chunked, chunkAfter, token.row() + chunked)));
            chunkAfter = last;
            chunked = rows;
        }

        private ChildPartition child(SnapshotToken next) {
            return new ChildPartition(next.text(), List.of(query.token().value()));
        }

        @Override
        public List<ChangeRecord> end() {
            boolean further = rows == limit;
            if (further ? chunked == 0 : chunked < rows) {
                addChunk();
            }
            if (further) {
                children.add(child(token.keysAfter(chunkAfter, token.row() + chunked)));
            }
            return children.isEmpty() ? continued(query, token) : ending(query, snapshotTime(), children);
        }
    }

    /** The rows of a chunk. */
    private final class ChunkReading extends TableReading {
        private List<ColumnType> columnTypes = List.of();
        private long rows;

        ChunkReading(PartitionQuery query, SnapshotToken token) {
            super(query, token);
        }

        @Override
        public ResultSet open() {
            return read(
                    table().columns().stream().map(WatchedTable.Column::name).toList(), token.rows());
        }

        @Override
        public List<ChangeRecord> row(ResultSet row) {
            if (rows == 0) {
                columnTypes = SnapshotRow.columnTypes(table(), row);
            }
            return List.of(SnapshotRow.change(table(), columnTypes, snapshotTime(), token.row() + rows++, row));
        }

        @Override
        public List<ChangeRecord> end() {
            if (rows != token.rows()) {
                throw new SourceException(
                        SourceException.Kind.FATAL,
                        "a chunk of the snapshot of %s as of %s has %d rows, and had %d keys: the server did not read as of that time. No later change was delivered; begin anew (spream subscription begin-anew)"
                                .formatted(token.table(), snapshotTime(), rows, token.rows()),
                        null);
            }
            progress.read(token.table(), token.row() + rows, snapshotTime(), plan().versionRetention());
            return continued(query, token);
        }
    }

    /** The initial query of the stream after the snapshot: its partitions continue the one that is read. */
    private final class ContinuedReading implements Reading {
        private final Reading initial;
        private final PartitionQuery query;
        private Instant end;
        private boolean continued; // by partitions that were returned: without any, the query is repeated

        ContinuedReading(Reading initial, PartitionQuery query) {
            this.initial = initial;
            this.query = query;
            this.end = query.startTimestamp();
        }

        @Override
        public ResultSet open() {
            return initial.open();
        }

        @Override
        public List<ChangeRecord> row(ResultSet row) {
            return initial.row(row).stream().map(this::continued).toList();
        }

        private ChangeRecord continued(ChangeRecord record) {
            if (!(record instanceof HeartbeatRecord)) {
                end = record.timestamp();
                continued = true;
            }
            if (record instanceof ChildPartitionsRecord children) {
                return new ChildPartitionsRecord(
                        children.startTimestamp(),
                        children.recordSequence(),
                        children.childPartitions().stream()
                                .map(child -> new ChildPartition(
                                        child.token(), List.of(query.token().value())))
                                .toList());
            }
            return record;
        }

        @Override
        public List<ChangeRecord> end() {
            return continued && mode.get() == PartitionMode.MUTABLE_KEY_RANGE
                    ? List.of(new PartitionEndRecord(end, "", query.token().value()))
                    : List.of();
        }
    }
}
