package dev.spream.storage.spanner;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.cloud.ByteArray;
import com.google.cloud.Date;
import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Value;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
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
import dev.spream.servers.SpannerServer;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@ParameterizedClass(name = "{1} on {0}")
@MethodSource("dev.spream.storage.spanner.ServersAndDialects#all")
@Timeout(120)
class SpannerChangeStreamSourceIT {
    private final AccountDatabase database;
    private final ChangeStreamSource source;

    SpannerChangeStreamSourceIT(SpannerServer server, Dialect dialect) {
        this.database = new AccountDatabase(server, dialect);
        this.source = database.source();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void everything_written_arrives_through_splits_and_merges() throws Exception {
        Instant start = source.serverTime();
        Set<String> written = new HashSet<>();
        StreamWalk walk;
        int rounds = 0;
        do { // the servers' churn is random
            written.addAll(database.writeAccountsFor(Duration.ofSeconds(1)));
            walk = StreamWalk.of(source, start, source.serverTime());
        } while (++rounds < 30 && (walk.splits() == 0 || walk.merges() == 0));

        assertThat(walk.ids()).containsExactlyInAnyOrderElementsOf(written);
        assertThat(walk.splits()).isPositive();
        assertThat(walk.merges()).isPositive();
    }

    @Test
    void every_type_of_column_is_decoded() throws Exception {
        Instant start = source.serverTime();
        database.client()
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
        return database.dialect() == Dialect.POSTGRESQL
                ? Value.pgNumeric("12.5")
                : Value.numeric(new BigDecimal("12.5"));
    }

    private Value details() {
        return database.dialect() == Dialect.POSTGRESQL
                ? Value.pgJsonb("{\"vip\": true}")
                : Value.json("{\"vip\": true}");
    }

    private static Map<String, TypeCode> types(DataChangeRecord change) {
        return change.columnTypes().stream()
                .collect(Collectors.toMap(
                        ColumnType::name, column -> column.type().code()));
    }

    private DataChangeRecord onlyChange(Instant start) throws InterruptedException {
        StreamWalk walk = StreamWalk.of(source, start, source.serverTime());
        assertThat(walk.changes()).hasSize(1);
        return walk.changes().getFirst();
    }

    @Test
    void the_retention_period_is_what_is_declared_now() {
        assertThat(source.retention()).as("not declared").isEmpty();
        database.createStream("KeptStream", "36h");
        try (ChangeStreamSource kept = SpannerChangeStreamSource.open(database.client(), "KeptStream")) {
            assertThat(kept.retention()).contains(Duration.ofHours(36));

            database.alterRetention("KeptStream", "3d");

            assertThat(kept.retention()).contains(Duration.ofDays(3));
        }
    }

    @Test
    void a_partition_is_read_live_until_it_names_its_children() throws Exception {
        PartitionQuery child = database.childOfRoot(source.serverTime());

        List<ChangeRecord> records = StreamWalk.records(source, child);

        assertThat(records.getLast()).isInstanceOf(ChildPartitionsRecord.class);
    }

    @Test
    void closing_ends_a_read_that_waits() throws Exception {
        Instant ahead = source.serverTime().plusSeconds(300);
        ChangeStreamCursor cursor = source.query(AccountDatabase.unbounded(PartitionToken.ROOT, ahead));
        var failure = new CompletableFuture<Throwable>();
        Thread reader = Thread.ofVirtual().start(() -> failure.complete(catchThrowable(cursor::next)));
        awaitWaiting(reader);

        cursor.close();

        assertThat(failure.get(30, SECONDS))
                .isInstanceOfSatisfying(
                        SourceException.class, e -> assertThat(e.kind()).isEqualTo(Kind.CANCELLED));
    }

    private static void awaitWaiting(Thread reader) {
        while (!EnumSet.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(reader.getState())) {
            assertThat(reader.isAlive()).isTrue();
            Thread.onSpinWait();
        }
    }
}
