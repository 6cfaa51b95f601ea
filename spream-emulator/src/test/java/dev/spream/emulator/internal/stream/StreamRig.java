package dev.spream.emulator.internal.stream;

import com.google.protobuf.ByteString;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.control.FaultControl;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.Commit;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.schema.RowChange.Kind;
import dev.spream.emulator.internal.schema.Table;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The streams of a database with two tables, and short ways to commit and to read. */
final class StreamRig implements AutoCloseable {
    static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");
    static final Table ORDERS = table(
            "Orders",
            column("Id", TypeCode.INT64, 1),
            column("Customer", TypeCode.STRING, 2),
            column("Total", TypeCode.FLOAT64, 3));
    static final Table ITEMS = table("Items", column("Id", TypeCode.INT64, 1), column("Name", TypeCode.STRING, 2));
    static final Map<String, Table> TABLES = Map.of("Orders", ORDERS, "Items", ITEMS);
    static final String STREAM = "S";
    static final String MUTABLE = "CREATE CHANGE STREAM S FOR ALL OPTIONS (partition_mode = 'MUTABLE_KEY_RANGE')";

    final CommitClock clock;
    final ChangeStreams streams;

    StreamRig(InstantSource time, long seed) {
        this(time, seed, DatabaseDialect.GOOGLE_STANDARD_SQL, 2, PartitionChurn.none());
    }

    StreamRig(InstantSource time, long seed, DatabaseDialect dialect, int partitions, PartitionChurn churn) {
        this(time, seed, dialect, partitions, churn, FaultRates.none());
    }

    StreamRig(
            InstantSource time,
            long seed,
            DatabaseDialect dialect,
            int partitions,
            PartitionChurn churn,
            FaultRates faultRates) {
        clock = new CommitClock(time, seed);
        streams = new ChangeStreams(
                dialect, clock, new StreamSettings(churn, partitions, Math.max(12, partitions), faultRates), seed);
    }

    /** At a time that stands still, with one partition, watching everything. */
    static StreamRig onePartition() {
        StreamRig rig = new StreamRig(
                DrivenClock.startingAt(T0), 1, DatabaseDialect.GOOGLE_STANDARD_SQL, 1, PartitionChurn.none());
        rig.ddl("CREATE CHANGE STREAM S FOR ALL");
        return rig;
    }

    void ddl(String statement) {
        streams.apply(statement, TABLES);
    }

    PartitionControl partitions() {
        return streams.partitions(STREAM);
    }

    /** Makes one change of partitions, as churn does. */
    void churn(Random random) {
        streams.churn(STREAM, random);
    }

    FaultControl faults() {
        return streams.faults(STREAM);
    }

    String onlyToken() {
        return partitions().live().getFirst().token();
    }

    Instant commit(RowChange... changes) {
        return commit("", false, changes);
    }

    Instant commit(String tag, boolean excluded, RowChange... changes) {
        return clock.commit(at -> {
            streams.commit(new Commit(at, tag, excluded, false, List.of(changes)));
            return at;
        });
    }

    /** Commits at a timestamp of the test's choice, which must be in order. */
    void commitAt(Instant at, RowChange... changes) {
        streams.commit(new Commit(at, "", false, false, List.of(changes)));
    }

    static RowChange insertOrder(long id) {
        Map<String, Value> after = order(id, "c" + id, 1.5);
        return new RowChange(ORDERS, Kind.INSERT, Map.of(), after, after.keySet());
    }

    /** Writes Customer only. */
    static RowChange renameOrder(long id) {
        return new RowChange(
                ORDERS, Kind.UPDATE, order(id, "old", 1.5), order(id, "new", 1.5), Set.of("Id", "Customer"));
    }

    /** Writes Total only. */
    static RowChange repriceOrder(long id) {
        return new RowChange(ORDERS, Kind.UPDATE, order(id, "old", 1.5), order(id, "old", 2.5), Set.of("Id", "Total"));
    }

    static RowChange deleteOrder(long id) {
        return new RowChange(ORDERS, Kind.DELETE, order(id, "old", 1.5), Map.of(), Set.of("Id"));
    }

    static RowChange insertItem(long id) {
        Map<String, Value> after = new LinkedHashMap<>();
        after.put("Id", string(Long.toString(id)));
        after.put("Name", Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build());
        return new RowChange(ITEMS, Kind.INSERT, Map.of(), after, after.keySet());
    }

    private static Map<String, Value> order(long id, String customer, double total) {
        Map<String, Value> row = new LinkedHashMap<>();
        row.put("Id", string(Long.toString(id)));
        row.put("Customer", string(customer));
        row.put("Total", Value.newBuilder().setNumberValue(total).build());
        return row;
    }

    static Value string(String text) {
        return Value.newBuilder().setStringValue(text).build();
    }

    private static Table table(String name, Column... columns) {
        return new Table(name, List.of(columns), List.of(columns[0].name()));
    }

    static Column column(String name, TypeCode code, int position) {
        return new Column(name, Type.newBuilder().setCode(code).build(), position, position == 1, false);
    }

    /** A query with the longest heartbeat. */
    static ChangeStreamQuery query(@Nullable String token, @Nullable Instant start, @Nullable Instant end) {
        return new ChangeStreamQuery(STREAM, "READ_S", start, end, token, 300_000L, false, ByteString.EMPTY);
    }

    /** The query by another function of the stream. */
    static ChangeStreamQuery by(String function, ChangeStreamQuery query) {
        return new ChangeStreamQuery(
                query.stream(),
                function,
                query.start(),
                query.end(),
                query.token(),
                query.heartbeatMillis(),
                query.hasReadOptions(),
                query.resumeToken());
    }

    static ChangeStreamQuery withHeartbeat(ChangeStreamQuery query, @Nullable Long millis) {
        return new ChangeStreamQuery(
                query.stream(),
                query.function(),
                query.start(),
                query.end(),
                query.token(),
                millis,
                query.hasReadOptions(),
                query.resumeToken());
    }

    /** Runs a query that ends by itself. */
    RowCollector ask(ChangeStreamQuery query) {
        RowCollector collector = new RowCollector();
        streams.run(query, Optional.empty(), collector, () -> false);
        return collector;
    }

    /** Runs a query on a thread of its own. */
    RowCollector open(ChangeStreamQuery query) {
        RowCollector collector = new RowCollector();
        Thread.ofVirtual().start(() -> streams.run(query, Optional.empty(), collector, () -> false));
        return collector;
    }

    /** At a time that stands still, watching everything with mutable key ranges. */
    static StreamRig mutable(InstantSource time, long seed, int partitions) {
        StreamRig rig =
                new StreamRig(time, seed, DatabaseDialect.GOOGLE_STANDARD_SQL, partitions, PartitionChurn.none());
        rig.ddl(MUTABLE);
        return rig;
    }

    /** Returns the rows of an ended partition from a time on. */
    List<ReadRow> read(String token, Instant start) {
        return ask(query(token, start, null)).rows();
    }

    /** Returns the rows of a partition so far, from a time on. */
    List<ReadRow> readByNow(@Nullable String token, Instant start) {
        return ask(query(token, start, clock.now())).rows();
    }

    static List<ReadRow.Data> data(List<ReadRow> rows) {
        return rows.stream()
                .flatMap(row -> row instanceof ReadRow.Data data ? Stream.of(data) : Stream.of())
                .toList();
    }

    static List<ReadRow.Children> children(List<ReadRow> rows) {
        return rows.stream()
                .flatMap(row -> row instanceof ReadRow.Children children ? Stream.of(children) : Stream.of())
                .toList();
    }

    ChangeStreamQuery parse(String sql, Map<String, String> params) {
        Map<String, Value> values = new HashMap<>();
        params.forEach((name, text) -> values.put(name, string(text)));
        return streams.parse(sql, Struct.newBuilder().putAllFields(values).build(), Map.of())
                .orElseThrow();
    }

    @Override
    public void close() {
        streams.close();
    }
}
