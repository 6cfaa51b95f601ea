package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.NoCredentials;
import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.SpannerOptions;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.protobuf.ByteString;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.PartialResultSet;
import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.control.Fault;
import dev.spream.emulator.control.Fault.Kind;
import dev.spream.emulator.control.FaultControl;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Faults and the driven clock, as Spanner's own client and a bare stub see them. */
@Timeout(60)
class FaultsIT {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration HEARTBEAT = Duration.ofMinutes(5);
    private static final String STREAM = "Changes";

    private static DrivenClock clock;
    private static SpannerEmulator emulator;
    private static Spanner spanner;
    private static int databases;

    private String database = "";
    private DatabaseClient client;
    private PartitionControl partitions;
    private FaultControl faults;

    @BeforeAll
    static void start() {
        clock = DrivenClock.startingAt(START);
        emulator = SpannerEmulator.builder().clock(clock).start();
        spanner = SpannerOptions.newBuilder()
                .setProjectId("p")
                .setEmulatorHost(emulator.emulatorHost())
                .setCredentials(NoCredentials.getInstance())
                .setBuiltInMetricsEnabled(false)
                .build()
                .getService();
    }

    @AfterAll
    static void stop() {
        spanner.close();
        emulator.close();
    }

    /** A stream of one partition with three changes. */
    @BeforeEach
    void create() {
        database = "p/i/d" + ++databases;
        emulator.createDatabase(
                database,
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Items (Id INT64 NOT NULL) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM " + STREAM + " FOR ALL");
        client = spanner.getDatabaseClient(DatabaseId.of("p", "i", "d" + databases));
        partitions = emulator.partitions(database, STREAM);
        faults = emulator.faults(database, STREAM);
        partitions.merge(
                partitions.live().get(0).token(), partitions.live().get(1).token());
        for (long id = 1; id <= 3; id++) {
            client.write(
                    List.of(Mutation.newInsertBuilder("Items").set("Id").to(id).build()));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"UNAVAILABLE", "GO_AWAY", "UNEXPECTED_EOS", "RST_STREAM"})
    void the_client_knows_these_breaks_and_resumes_behind_the_last_row(Kind kind) {
        PartitionView partition = end();
        faults.next(Fault.of(kind).afterRows(2));
        assertThat(rows(query(partition))).hasSize(3 + 1);
        assertThat(faults.counts().of(kind)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "RESOURCE_EXHAUSTED, RESOURCE_EXHAUSTED",
        "DEADLINE_EXCEEDED, DEADLINE_EXCEEDED",
        "RETENTION_LOST, OUT_OF_RANGE",
        "PARTITION_EXPIRED, OUT_OF_RANGE",
        "OUTSIDE_PARTITION, OUT_OF_RANGE"
    })
    void the_client_passes_on_the_others(Kind kind, ErrorCode code) {
        PartitionView partition = end();
        faults.next(Fault.of(kind).afterRows(2));
        assertThatThrownBy(() -> rows(query(partition)))
                .isInstanceOfSatisfying(
                        SpannerException.class,
                        e -> assertThat(e.getErrorCode()).isEqualTo(code));
    }

    @Test
    void the_client_sees_a_clean_end_as_an_end() {
        PartitionView partition = end();
        faults.next(Fault.of(Kind.CLEAN_END).afterRows(2));
        assertThat(rows(query(partition))).hasSize(2);
        assertThat(rows(query(partition))).hasSize(3 + 1);
    }

    @Test
    void the_client_sees_rows_twice() {
        PartitionView partition = end();
        faults.next(Fault.of(Kind.DUPLICATES).afterRows(2));
        assertThat(rows(query(partition))).hasSize(2 + 3 + 1);
    }

    @Test
    void a_stub_sees_the_stream_break_between_two_child_records() {
        try (RawChangeStream stream =
                new RawChangeStream(emulator, DatabaseDialect.POSTGRESQL, "children" + databases)) {
            stream.partitions().separateChildRecords(true);
            PartitionView partition = stream.partitions().live().getFirst();
            stream.partitions().split(partition.token());
            stream.faults().next(Fault.of(Kind.BETWEEN_CHILD_RECORDS).inPartition(partition.token()));

            List<PartialResultSet> messages = new ArrayList<>();
            Iterator<PartialResultSet> broken =
                    stream.stub().executeStreamingSql(stream.query(partition, ByteString.EMPTY));
            assertThatThrownBy(() -> broken.forEachRemaining(messages::add))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
            assertThat(rowCount(messages)).isEqualTo(1);

            messages.clear();
            stream.stub()
                    .executeStreamingSql(stream.query(partition, ByteString.EMPTY))
                    .forEachRemaining(messages::add);
            assertThat(rowCount(messages)).isEqualTo(2);
        }
    }

    private static int rowCount(List<PartialResultSet> messages) {
        return messages.stream().mapToInt(PartialResultSet::getValuesCount).sum();
    }

    @Test
    void a_stalled_query_stays_open_and_returns_nothing_until_it_is_let_go() throws Exception {
        faults.next(Fault.of(Kind.STALL).afterRows(3));
        try (var executor = Executors.newVirtualThreadPerTaskExecutor();
                ResultSet stalled = query(partitions.live().getFirst())) {
            for (int row = 0; row < 3; row++) {
                assertThat(stalled.next()).isTrue();
            }
            Future<Boolean> next = executor.submit(stalled::next);
            ResultSet healthy = query(partitions.live().getFirst());
            assertThat(readRows(healthy, 3)).hasSize(3);
            clock.advance(HEARTBEAT);
            assertThat(isHeartbeat(readRows(healthy, 1).getFirst())).isTrue();
            assertThat(next.isDone()).isFalse();
            faults.clear();
            assertThat(next.get(30, TimeUnit.SECONDS)).isTrue();
            healthy.close();
        }
    }

    @Test
    void hours_pass_at_a_call() {
        try (ResultSet open = query(partitions.live().getFirst())) {
            assertThat(readRows(open, 3)).hasSize(3);
            for (int beat = 0; beat < 24; beat++) {
                clock.advance(HEARTBEAT);
                assertThat(isHeartbeat(readRows(open, 1).getFirst())).isTrue();
            }
        }
    }

    @Test
    void retention_runs_out_at_a_call() {
        PartitionView partition = end();
        clock.advance(Duration.ofDays(8));
        assertThatThrownBy(() -> rows(query(partition)))
                .isInstanceOf(SpannerException.class)
                .hasMessageContaining("This partition is no longer valid.");
    }

    private PartitionView end() {
        PartitionView live = partitions.live().getFirst();
        partitions.move(live.token());
        return live;
    }

    private ResultSet query(PartitionView partition) {
        return client.singleUse()
                .executeQuery(
                        Statement.newBuilder("SELECT ChangeRecord FROM READ_Changes(@start, NULL, @token, @heartbeat)")
                                .bind("start")
                                .to(Timestamp.parseTimestamp(partition.start().toString()))
                                .bind("token")
                                .to(partition.token())
                                .bind("heartbeat")
                                .to(HEARTBEAT.toMillis())
                                .build());
    }

    private static List<Struct> readRows(ResultSet rows, int count) {
        List<Struct> read = new ArrayList<>();
        while (read.size() < count && rows.next()) {
            read.add(rows.getCurrentRowAsStruct());
        }
        return read;
    }

    private static List<Struct> rows(ResultSet rows) {
        return EmulatedSpanner.rows(rows);
    }

    private static boolean isHeartbeat(Struct row) {
        return !row.getStructList(0)
                .getFirst()
                .getStructList("heartbeat_record")
                .isEmpty();
    }
}
