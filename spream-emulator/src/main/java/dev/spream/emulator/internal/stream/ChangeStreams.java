package dev.spream.emulator.internal.stream;

import com.google.protobuf.Struct;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.ResultSetMetadata;
import com.google.spanner.v1.Transaction;
import com.google.spanner.v1.Type;
import dev.spream.emulator.control.FaultControl;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.internal.schema.Commit;
import dev.spream.emulator.internal.schema.Table;
import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import dev.spream.emulator.internal.streamsql.ChangeStreamQueryParser;
import dev.spream.emulator.internal.streamsql.StreamStatement;
import dev.spream.emulator.internal.streamsql.StreamStatementParser;
import dev.spream.emulator.internal.streamsql.WatchSpec;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The change streams of one database. Safe for use by many threads. Its creator closes it; queries then end and churn
 * stops.
 */
public final class ChangeStreams implements AutoCloseable {
    private static final long FIRST_TRANSACTION_ID = 1_000_000_000_000_000_000L;

    private final Dialect dialect;
    private final StreamClock clock;
    private final StreamSettings settings;
    private final ReentrantLock lock = new ReentrantLock();

    private final AtomicInteger running = new AtomicInteger();

    // Guarded by lock, which is taken after the clock's.
    private final Map<String, ChangeStream> streams = new LinkedHashMap<>();
    private final Random seeds;
    private boolean closed;

    // Confined to commits. Ids have a fixed length, so that their text is in commit order.
    private long nextTransactionId;

    public ChangeStreams(DatabaseDialect dialect, StreamClock clock, StreamSettings settings, long seed) {
        this.dialect = Dialect.of(dialect);
        this.clock = clock;
        this.settings = settings;
        this.seeds = new Random(seed);
        this.nextTransactionId = FIRST_TRANSACTION_ID + (seeds.nextLong() >>> 2);
    }

    public boolean handles(String ddl) {
        return StreamStatementParser.handles(dialect, ddl);
    }

    /**
     * Runs a DDL statement about a change stream.
     *
     * @param tables the tables of the database, by name
     * @throws StatusRuntimeException if it cannot be parsed, or contradicts the schema; nothing has changed then
     */
    public void apply(String ddl, Map<String, Table> tables) {
        StreamStatement statement = StreamStatementParser.parse(dialect, ddl);
        clock.cut(at -> locked(() -> {
            StreamSchema schema = new StreamSchema(dialect, tables, definitions());
            return switch (statement) {
                case StreamStatement.Create create -> create(schema.created(create), at);
                case StreamStatement.SetFor setFor -> redefine(schema.altered(setFor));
                case StreamStatement.DropForAll dropForAll -> redefine(schema.altered(dropForAll));
                case StreamStatement.SetOptions setOptions -> redefine(schema.altered(setOptions));
                case StreamStatement.Drop drop -> drop(schema.existing(drop.stream()));
            };
        }));
    }

    /**
     * Serves a stream that another server holds, with these options, or applies its present options. Its commits come
     * by {@link #commit(String, Commit, long, String)}.
     *
     * @param created the first instant at which it can be read
     */
    public void follow(String name, Map<String, String> options, Instant created) {
        StreamDefinition definition = new StreamDefinition(name, WatchSpec.ALL, new StreamOptions(options));
        clock.cut(at -> locked(() -> streams.containsKey(name) ? redefine(definition) : create(definition, created)));
    }

    /** Ends the service of a stream that the other server has dropped. */
    public void unfollow(String name) {
        clock.cut(at -> locked(() -> drop(stream(name).definition())));
    }

    private ChangeStream create(StreamDefinition definition, Instant at) {
        RecordEncoder encoder = RecordEncoder.of(dialect, definition);
        StreamPartitions partitions =
                new StreamPartitions(clock, definition.partitionMode(), encoder, seeds.nextLong());
        partitions.begin(at, settings.initialPartitions());
        if (closed) {
            throw StreamErrors.closed();
        }
        long churnSeed = seeds.nextLong();
        FaultDraw draw = new FaultDraw(settings.faultRates(), seeds.nextLong());
        ChangeStream stream = new ChangeStream(definition, at, partitions, encoder, draw, clock.pace());
        streams.put(definition.name(), stream);
        new Churner(stream, settings, clock, new Random(churnSeed)).start();
        return stream;
    }

    private ChangeStream redefine(StreamDefinition definition) {
        ChangeStream stream = stream(definition.name());
        stream.redefine(definition);
        return stream;
    }

    private ChangeStream drop(StreamDefinition definition) {
        ChangeStream stream = stream(definition.name());
        streams.remove(definition.name());
        stream.stop(StreamErrors.streamNotFound(definition.name()));
        return stream;
    }

    /**
     * Rejects the drop of a table or column that a stream names explicitly.
     *
     * @param column empty for the whole table
     */
    public void checkTableChange(String table, String column) {
        List<String> naming = definitions().stream()
                .filter(definition -> definition.names(dialect, table, column))
                .map(StreamDefinition::name)
                .toList();
        if (!naming.isEmpty()) {
            throw StreamErrors.stillNamed(table, column, naming);
        }
    }

    /** Returns the statements that create the streams in their present form. */
    public List<String> ddl() {
        return definitions().stream().map(definition -> definition.ddl(dialect)).toList();
    }

    /** Returns the streams, in the order of their creation. */
    public List<StreamDefinition> definitions() {
        return locked(
                () -> streams.values().stream().map(ChangeStream::definition).toList());
    }

    /** Records a transaction in every stream that watches its changes; called within {@link CommitClock#commit}. */
    public void commit(Commit commit) {
        String transactionId = Long.toString(nextTransactionId++);
        for (ChangeStream stream : locked(() -> List.copyOf(streams.values()))) {
            stream.commit(commit, transactionId);
        }
    }

    /**
     * Records a transaction of a followed stream; called while the clock publishes commits.
     *
     * @param transactionId its number, which grows from commit to commit
     * @param valueCaptureType that of the stream at the commit
     */
    public void commit(String stream, Commit commit, long transactionId, String valueCaptureType) {
        ChangeStream followed = stream(stream);
        followed.capture(valueCaptureType);
        followed.commit(commit, Long.toString(FIRST_TRANSACTION_ID + transactionId));
    }

    /**
     * Returns the query, if the text reads a change stream.
     *
     * @throws StatusRuntimeException if it does so in a way that Spanner refuses
     */
    public Optional<ChangeStreamQuery> parse(String sql, Struct params, Map<String, Type> paramTypes) {
        return ChangeStreamQueryParser.parse(dialect, sql, params, this::streamOf);
    }

    public boolean hasStream(String name) {
        return declaredName(name).isPresent();
    }

    public boolean hasFunction(String name) {
        return streamOf(name).isPresent();
    }

    private Optional<String> streamOf(String function) {
        return definitions().stream()
                .filter(stream -> stream.isReadBy(function, dialect))
                .map(StreamDefinition::name)
                .findFirst();
    }

    private Optional<String> declaredName(String name) {
        return definitions().stream()
                .map(StreamDefinition::name)
                .filter(declared -> dialect.sameName(declared, name))
                .findFirst();
    }

    /**
     * Runs a query, for as long as its partition lives, and completes {@code out} or passes it an error. Ends early, at
     * once if the thread is interrupted, and with a delay if {@code cancelled}, which is polled, returns true.
     *
     * @param transaction the result's description of its transaction, if any
     * @param out called from this thread only; it should block while its client does not keep up
     */
    public void run(
            ChangeStreamQuery query,
            Optional<Transaction> transaction,
            StreamObserver<PartialResultSet> out,
            BooleanSupplier cancelled) {
        running.incrementAndGet();
        try {
            ChangeStream stream = stream(query.stream());
            ResultSetMetadata.Builder metadata = stream.encoder().metadata().toBuilder();
            if (dialect == Dialect.POSTGRESQL && stream.definition().isOfPlacement(query.function(), dialect)) {
                metadata.getRowTypeBuilder().getFieldsBuilder(0).setName(query.function());
            }
            transaction.ifPresent(metadata::setTransaction);
            RowSink sink = new RowSink(out, metadata.build());
            new QueryRun(stream, clock, query, sink, cancelled).run();
        } catch (StatusRuntimeException e) {
            out.onError(e);
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            out.onError(StreamErrors.cancelled());
            return;
        } catch (RuntimeException e) {
            out.onError(Status.INTERNAL
                    .withDescription("the change stream query failed in the emulator: " + e)
                    .withCause(e)
                    .asRuntimeException());
            return;
        } finally {
            running.decrementAndGet();
        }
        out.onCompleted();
    }

    public int running() {
        return running.get();
    }

    /**
     * Returns the partitions of a stream, for tests.
     *
     * @throws StatusRuntimeException NOT_FOUND if the stream does not exist
     */
    public PartitionControl partitions(String streamName) {
        return stream(declaredName(streamName).orElse(streamName)).partitions();
    }

    /**
     * Returns the fault injection of the queries of a stream.
     *
     * @throws StatusRuntimeException NOT_FOUND if the stream does not exist
     */
    public FaultControl faults(String streamName) {
        return stream(declaredName(streamName).orElse(streamName)).faults();
    }

    /** Returns a time up to which everything is committed: later commits get later timestamps. */
    public Instant now() {
        return clock.now();
    }

    /** Has each running query send its next heartbeat at once. */
    public void requestHeartbeats() {
        locked(() -> List.copyOf(streams.values())).forEach(ChangeStream::requestHeartbeats);
    }

    /** Makes one change of a stream's partitions, as its churn does, for tests. */
    void churn(String streamName, Random random) {
        new Churner(stream(streamName), settings, clock, random).step();
    }

    private ChangeStream stream(String name) {
        return locked(() -> Optional.ofNullable(streams.get(name)))
                .orElseThrow(() -> StreamErrors.streamNotFound(name));
    }

    /** Ends running queries with UNAVAILABLE, and stops the churn. */
    @Override
    public void close() {
        locked(() -> {
                    closed = true;
                    return List.copyOf(streams.values());
                })
                .forEach(stream -> stream.stop(StreamErrors.closed()));
    }

    private <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }
}
