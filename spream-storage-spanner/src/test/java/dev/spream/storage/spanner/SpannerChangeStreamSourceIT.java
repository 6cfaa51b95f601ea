package dev.spream.storage.spanner;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import com.google.cloud.ByteArray;
import com.google.cloud.Date;
import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Value;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.TypeCode;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.core.source.SourceException.Kind;
import dev.spream.emulator.SpannerServer;
import dev.spream.emulator.SpannerServers;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass(name = "{1} on {0}", allowZeroInvocations = true)
@MethodSource("serversAndDialects")
@Timeout(120)
class SpannerChangeStreamSourceIT {
    private static final Duration HEARTBEAT = Duration.ofSeconds(1);

    private final SpannerServer server;
    private final Dialect dialect;
    private DatabaseName database;
    private SpannerConnection connection;
    private ChangeStreamSource source;

    SpannerChangeStreamSourceIT(SpannerServer server, Dialect dialect) {
        this.server = server;
        this.dialect = dialect;
        DatabaseId id = server.createDatabase(dialect, ddl());
        this.database = DatabaseName.parse(id.getName());
        this.connection = connect(database);
        this.source = SpannerChangeStreamSource.open(connection.client(), "AccountStream");
    }

    static Stream<Arguments> serversAndDialects() {
        return SpannerServers.all()
                .flatMap(server -> Stream.of(Dialect.values()).map(dialect -> Arguments.of(server, dialect)));
    }

    private List<String> ddl() {
        return switch (dialect) {
            case GOOGLE_STANDARD_SQL -> List.of("""
                    CREATE TABLE Account (Id STRING(36) NOT NULL, Balance INT64, Active BOOL, Rate FLOAT64, Opened DATE,
                    Seen TIMESTAMP, Photo BYTES(MAX), Price NUMERIC, Details JSON, Tags ARRAY<STRING(MAX)>,
                    Scores ARRAY<INT64>) PRIMARY KEY (Id)""", "CREATE CHANGE STREAM AccountStream FOR ALL");
            case POSTGRESQL -> List.of("""
                    CREATE TABLE "Account" ("Id" varchar(36) NOT NULL PRIMARY KEY, "Balance" bigint, "Active" boolean,
                    "Rate" double precision, "Opened" date, "Seen" timestamptz, "Photo" bytea, "Price" numeric,
                    "Details" jsonb, "Tags" varchar[], "Scores" bigint[])""", "CREATE CHANGE STREAM \"AccountStream\" FOR ALL");
        };
    }

    private SpannerConnection connect(DatabaseName name) {
        return SpannerConnection.builder(name)
                .emulatorHost(server.emulatorHost())
                .open();
    }

    @AfterEach
    void close() {
        source.close();
        connection.close();
    }

    @Test
    void everything_written_arrives_through_splits_and_merges() throws Exception {
        Instant start = source.serverTime();
        Set<String> written = writeAccountsFor(Duration.ofSeconds(5));

        Reading reading = readAll(start, source.serverTime());

        assertThat(reading.keys()).containsExactlyInAnyOrderElementsOf(written);
        assertThat(reading.splits).isPositive();
        assertThat(reading.merges).isPositive();
    }

    @Test
    void every_type_of_column_is_decoded() throws Exception {
        Instant start = source.serverTime();
        connection
                .client()
                .write(List.of(Mutation.newInsertBuilder("Account")
                        .set("Id")
                        .to("one")
                        .set("Balance")
                        .to(Long.MAX_VALUE)
                        .set("Active")
                        .to(true)
                        .set("Rate")
                        .to(0.5)
                        .set("Opened")
                        .to(Date.parseDate("2024-02-29"))
                        .set("Seen")
                        .to(Timestamp.parseTimestamp("2024-02-29T01:02:03Z"))
                        .set("Photo")
                        .to(ByteArray.copyFrom(new byte[] {1, 2, 3}))
                        .set("Price")
                        .to(price())
                        .set("Details")
                        .to(details())
                        .set("Tags")
                        .toStringArray(List.of("a", "b \"c\""))
                        .set("Scores")
                        .toInt64Array(new long[] {1, -2})
                        .build()));

        DataChangeRecord change = onlyChange(start);

        assertThat(change.tableName()).isEqualTo("Account");
        assertThat(change.modType()).isEqualTo(ModType.INSERT);
        assertThat(change.valueCaptureType()).isEqualTo(ValueCaptureType.OLD_AND_NEW_VALUES);
        assertThat(change.commitTimestamp()).isAfterOrEqualTo(start);
        assertThat(change.isLastRecordInTransactionInPartition()).isTrue();
        assertThat(change.numberOfRecordsInTransaction()).isEqualTo(1);
        assertThat(change.numberOfPartitionsInTransaction()).isEqualTo(1);
        assertThat(change.isSystemTransaction()).isFalse();
        assertThat(types(change))
                .containsEntry("Id", TypeCode.STRING)
                .containsEntry("Balance", TypeCode.INT64)
                .containsEntry("Active", TypeCode.BOOL)
                .containsEntry("Rate", TypeCode.FLOAT64)
                .containsEntry("Opened", TypeCode.DATE)
                .containsEntry("Seen", TypeCode.TIMESTAMP)
                .containsEntry("Photo", TypeCode.BYTES)
                .containsEntry("Price", TypeCode.NUMERIC)
                .containsEntry("Details", TypeCode.JSON)
                .containsEntry("Tags", TypeCode.ARRAY)
                .containsEntry("Scores", TypeCode.ARRAY);
        Mod mod = change.mods().getFirst();
        assertThat(mod.keys()).isEqualTo(JsonObject.of("{\"Id\":\"one\"}"));
        assertThat(mod.oldValues().members()).isEmpty();
        assertThat(mod.newValues().members())
                .containsEntry("Balance", String.valueOf(Long.MAX_VALUE))
                .containsEntry("Active", true)
                .containsEntry("Rate", new BigDecimal("0.5"))
                .containsEntry("Opened", "2024-02-29")
                .containsEntry("Photo", "AQID")
                .containsEntry("Price", "12.5")
                .containsEntry("Tags", List.of("a", "b \"c\""))
                .containsEntry("Scores", List.of("1", "-2"));
        assertThat(Instant.parse(mod.newValues().string("Seen").orElseThrow()))
                .isEqualTo(Instant.parse("2024-02-29T01:02:03Z"));
        assertThat(JsonObject.of(mod.newValues().string("Details").orElseThrow()))
                .isEqualTo(JsonObject.of("{\"vip\":true}"));
    }

    private Value price() {
        return dialect == Dialect.POSTGRESQL ? Value.pgNumeric("12.5") : Value.numeric(new BigDecimal("12.5"));
    }

    private Value details() {
        return dialect == Dialect.POSTGRESQL ? Value.pgJsonb("{\"vip\": true}") : Value.json("{\"vip\": true}");
    }

    private static Map<String, TypeCode> types(DataChangeRecord change) {
        return change.columnTypes().stream()
                .collect(Collectors.toMap(
                        ColumnType::name, column -> column.type().code()));
    }

    private DataChangeRecord onlyChange(Instant start) throws InterruptedException {
        Reading reading = readAll(start, source.serverTime());
        assertThat(reading.changes).hasSize(1);
        return reading.changes.getFirst();
    }

    @Test
    void a_partition_is_read_live_until_it_names_its_children() throws Exception {
        PartitionQuery child = childOfRoot(source.serverTime());

        List<ChangeRecord> records = records(child);

        assertThat(records.getLast()).isInstanceOf(ChildPartitionsRecord.class);
    }

    private PartitionQuery childOfRoot(Instant start) throws InterruptedException {
        var root = new PartitionQuery(PartitionToken.ROOT, start, Optional.empty(), HEARTBEAT);
        ChildPartitionsRecord children = (ChildPartitionsRecord) records(root).getFirst();
        PartitionToken token =
                new PartitionToken(children.childPartitions().getFirst().token());
        return new PartitionQuery(token, children.startTimestamp(), Optional.empty(), HEARTBEAT);
    }

    @Test
    void closing_ends_a_read_that_waits() throws Exception {
        Instant ahead = source.serverTime().plusSeconds(300);
        ChangeStreamCursor cursor =
                source.query(new PartitionQuery(PartitionToken.ROOT, ahead, Optional.empty(), HEARTBEAT));
        var failure = new CompletableFuture<Throwable>();
        Thread reader = Thread.ofVirtual().start(() -> failure.complete(catchThrowable(cursor::next)));
        awaitWaiting(reader);

        cursor.close();

        assertThat(failure.get(1, SECONDS))
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CANCELLED));
    }

    private static void awaitWaiting(Thread reader) {
        while (!EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(reader.getState())) {
            assertThat(reader.isAlive()).isTrue();
            Thread.onSpinWait();
        }
    }

    @Test
    void the_servers_time_is_the_present() {
        assertThat(source.serverTime()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
    }

    @Test
    void the_partition_mode_is_immutable() {
        assertThat(source.partitionMode()).isEqualTo(PartitionMode.IMMUTABLE_KEY_RANGE);
    }

    @Test
    void a_missing_stream_is_named_together_with_those_that_exist() {
        try (var missing = SpannerChangeStreamSource.open(connection.client(), "OrderStream")) {
            assertFails(missing::partitionMode, Kind.NOT_FOUND)
                    .hasMessageContaining("change stream OrderStream not found: the database has AccountStream");
        }
        try (var lowerCase = SpannerChangeStreamSource.open(connection.client(), "accountstream")) {
            assertFails(lowerCase::partitionMode, Kind.NOT_FOUND).hasMessageContaining("did you mean AccountStream?");
        }
    }

    @Test
    void a_query_of_a_missing_stream_says_so_too() {
        try (var missing = SpannerChangeStreamSource.open(connection.client(), "OrderStream");
                var cursor = missing.query(
                        new PartitionQuery(PartitionToken.ROOT, Instant.now(), Optional.empty(), HEARTBEAT))) {
            assertFails(cursor::next, Kind.NOT_FOUND);
        }
    }

    @Test
    void a_missing_database_is_not_found() {
        var missing = new DatabaseName(database.project(), database.instance(), "no-such-database");
        try (SpannerConnection elsewhere = connect(missing);
                var lost = SpannerChangeStreamSource.open(elsewhere.client(), "AccountStream")) {
            assertFails(lost::partitionMode, Kind.NOT_FOUND).hasMessageContaining("no-such-database");
        }
    }

    @Test
    void a_start_before_retention_is_lost() {
        Instant lost = source.serverTime().minus(Duration.ofDays(40));
        assertFails(
                () -> records(new PartitionQuery(PartitionToken.ROOT, lost, Optional.empty(), HEARTBEAT)),
                Kind.RETENTION_LOST);
    }

    @Test
    void a_start_far_ahead_is_in_the_future() {
        Instant future = source.serverTime().plus(Duration.ofDays(1));
        assertFails(
                () -> records(new PartitionQuery(PartitionToken.ROOT, future, Optional.empty(), HEARTBEAT)),
                Kind.START_IN_FUTURE);
    }

    @Test
    void a_token_of_nowhere_is_not_found() {
        Instant now = source.serverTime();
        assertFails(
                () -> records(new PartitionQuery(new PartitionToken("nowhere"), now, Optional.empty(), HEARTBEAT)),
                Kind.NOT_FOUND);
    }

    @Test
    void a_start_after_the_partitions_end_is_outside_and_the_end_is_known() throws Exception {
        PartitionQuery child = childOfRoot(source.serverTime());
        Instant end = records(child).getLast().timestamp();
        PartitionQuery late = new PartitionQuery(child.token(), end.plusMillis(1), Optional.empty(), HEARTBEAT);

        SourceException e = catchThrowableOfType(SourceException.class, () -> records(late));

        assertThat(e.kind()).isEqualTo(Kind.OUTSIDE_PARTITION);
        assertThat(e.validUntil())
                .hasValueSatisfying(until -> assertThat(until).isCloseTo(end, within(1, ChronoUnit.SECONDS)));
    }

    private static AbstractThrowableAssert<?, ?> assertFails(ThrowingCallable call, Kind kind) {
        return assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        SourceException.class,
                        e -> assertThat(e.kind()).as(e.getMessage()).isEqualTo(kind));
    }

    private Set<String> writeAccountsFor(Duration time) {
        Set<String> ids = new HashSet<>();
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            String id = "account-" + ids.size();
            connection
                    .client()
                    .write(List.of(Mutation.newInsertBuilder("Account")
                            .set("Id")
                            .to(id)
                            .set("Balance")
                            .to(ids.size())
                            .build()));
            ids.add(id);
        }
        return ids;
    }

    /** Reads every partition up to the end, one after the other, parents before children. */
    private Reading readAll(Instant start, Instant end) throws InterruptedException {
        Reading reading = new Reading();
        Set<PartitionToken> known = new HashSet<>();
        Queue<PartitionQuery> open = new ArrayDeque<>();
        open.add(new PartitionQuery(PartitionToken.ROOT, start, Optional.of(end), HEARTBEAT));
        while (!open.isEmpty()) {
            for (ChildPartitionsRecord children : readPartition(open.remove(), reading)) {
                for (ChildPartition child : children.childPartitions()) {
                    PartitionToken token = new PartitionToken(child.token());
                    if (known.add(token)) {
                        open.add(new PartitionQuery(token, children.startTimestamp(), Optional.of(end), HEARTBEAT));
                    }
                }
            }
        }
        return reading;
    }

    private List<ChildPartitionsRecord> readPartition(PartitionQuery query, Reading reading)
            throws InterruptedException {
        List<ChildPartitionsRecord> children = new ArrayList<>();
        for (ChangeRecord record : records(query)) {
            switch (record) {
                case DataChangeRecord change -> reading.changes.add(change);
                case ChildPartitionsRecord child -> children.add(child);
                case HeartbeatRecord heartbeat ->
                    assertThat(heartbeat.timestamp()).isAfterOrEqualTo(query.startTimestamp());
            }
        }
        children.forEach(child -> reading.count(query.token(), child));
        return children;
    }

    private List<ChangeRecord> records(PartitionQuery query) throws InterruptedException {
        List<ChangeRecord> records = new ArrayList<>();
        try (ChangeStreamCursor cursor = source.query(query)) {
            for (Optional<ChangeRecord> record = cursor.next(); record.isPresent(); record = cursor.next()) {
                records.add(record.get());
            }
        }
        return records;
    }

    private static final class Reading {
        private final List<DataChangeRecord> changes = new ArrayList<>();
        private int splits;
        private int merges;

        private List<String> keys() {
            return changes.stream()
                    .flatMap(change -> change.mods().stream())
                    .map(mod -> mod.keys().string("Id").orElseThrow())
                    .toList();
        }

        private void count(PartitionToken parent, ChildPartitionsRecord record) {
            if (!parent.isRoot() && record.childPartitions().size() > 1) {
                splits++;
            }
            if (record.childPartitions().stream()
                    .anyMatch(child -> child.parentTokens().size() > 1)) {
                merges++;
            }
        }
    }
}
