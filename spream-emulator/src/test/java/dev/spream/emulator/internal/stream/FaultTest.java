package dev.spream.emulator.internal.stream;

import static dev.spream.emulator.internal.stream.StreamRig.T0;
import static dev.spream.emulator.internal.stream.StreamRig.children;
import static dev.spream.emulator.internal.stream.StreamRig.data;
import static dev.spream.emulator.internal.stream.StreamRig.insertOrder;
import static dev.spream.emulator.internal.stream.StreamRig.query;
import static dev.spream.emulator.internal.stream.StreamRig.withHeartbeat;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.control.Fault;
import dev.spream.emulator.control.Fault.Kind;
import dev.spream.emulator.control.FaultControl;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Faults by call, as the queries that they strike see them. */
@Timeout(60)
class FaultTest {
    private static final long HEARTBEAT_MILLIS = 1_000;

    private final DrivenClock time = DrivenClock.startingAt(T0);
    private final StreamRig rig = new StreamRig(time, 1, DatabaseDialect.GOOGLE_STANDARD_SQL, 1, PartitionChurn.none());
    private String token = "";
    private FaultControl faults;

    @BeforeEach
    void create() {
        rig.ddl("CREATE CHANGE STREAM S FOR ALL");
        token = rig.onlyToken();
        faults = rig.faults();
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            UNAVAILABLE        | UNAVAILABLE        | The service is currently unavailable.
            GO_AWAY            | UNAVAILABLE        | Connection closed after GOAWAY.
            UNEXPECTED_EOS     | INTERNAL           | Received unexpected EOS on DATA frame from server.
            RST_STREAM         | INTERNAL           | stream terminated by RST_STREAM
            RESOURCE_EXHAUSTED | RESOURCE_EXHAUSTED | Resource has been exhausted (e.g. check quota).
            DEADLINE_EXCEEDED  | DEADLINE_EXCEEDED  | Deadline expired before operation could complete.
            RETENTION_LOST     | OUT_OF_RANGE       | Specified start_timestamp is too far in the past. Please specify
            PARTITION_EXPIRED  | OUT_OF_RANGE       | This partition is no longer valid. All Change Stream records
            OUTSIDE_PARTITION  | OUT_OF_RANGE       | Specified start_timestamp is invalid for the partition. Please
            """)
    void a_query_breaks_after_so_many_rows_with_the_code_and_text_of_production(
            Kind kind, Status.Code code, String text) throws Exception {
        commit(1, 2, 3, 4);
        faults.next(Fault.of(kind).afterRows(3));

        RowCollector broken = rig.ask(query(token, T0, null));

        assertThat(keys(broken)).containsExactly(1, 2, 3);
        assertThat(broken.awaitEnd().getCode()).isEqualTo(code);
        assertThat(broken.awaitEnd().getDescription()).startsWith(text);
        assertThat(faults.counts().byKind()).isEqualTo(Map.of(kind, 1));
        assertThat(faults.pending()).isZero();
    }

    @Test
    void a_fault_after_no_rows_comes_before_the_first_message() throws Exception {
        commit(1);
        faults.next(Fault.of(Kind.PARTITION_EXPIRED));
        RowCollector refused = rig.ask(query(token, T0, null));
        assertThat(refused.messages()).isEmpty();
        assertThat(refused.awaitEnd().getCode()).isEqualTo(Status.Code.OUT_OF_RANGE);
    }

    @Test
    void the_query_after_a_broken_one_returns_the_remaining_records() throws Exception {
        commit(1, 2, 3);
        rig.partitions().move(token);
        faults.next(Fault.of(Kind.UNAVAILABLE).afterRows(2));
        RowCollector broken = rig.ask(query(token, T0, null));
        assertThat(broken.awaitEnd().getCode()).isEqualTo(Status.Code.UNAVAILABLE);

        RowCollector again = rig.ask(query(token, data(broken.rows()).getLast().commit(), null));

        assertThat(keys(again)).containsExactly(2, 3);
        assertThat(children(again.rows())).hasSize(1);
        assertThat(again.awaitEnd()).isEqualTo(Status.OK);
    }

    @Test
    void a_client_resumes_behind_the_last_row_that_came_before_the_break() throws Exception {
        commit(1, 2, 3);
        rig.partitions().move(token);
        faults.next(Fault.of(Kind.UNEXPECTED_EOS).afterRows(2));
        ChangeStreamQuery query = query(token, T0, null);
        RowCollector broken = rig.ask(query);
        RowCollector resumed = rig.ask(query.resumingAt(broken.lastResumeToken()));
        assertThat(keys(resumed)).containsExactly(3);
        assertThat(resumed.awaitEnd()).isEqualTo(Status.OK);
    }

    @Test
    void running_queries_break_at_once_also_when_they_are_idle() throws Exception {
        RowCollector one = open(token);
        RowCollector other = open(token);
        assertThat(faults.running(Fault.of(Kind.GO_AWAY))).isEqualTo(2);
        assertThat(one.awaitEnd().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(other.awaitEnd().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(faults.counts().of(Kind.GO_AWAY)).isEqualTo(2);
    }

    @Test
    void the_rows_of_a_fault_for_running_queries_count_from_the_call_on() throws Exception {
        commit(1, 2);
        RowCollector running = open(token);
        running.awaitRows(rows -> rows.size() == 2);
        faults.running(Fault.of(Kind.RST_STREAM).afterRows(1));
        commit(3, 4);
        assertThat(running.awaitEnd().getCode()).isEqualTo(Status.Code.INTERNAL);
        assertThat(keys(running)).containsExactly(1, 2, 3);
    }

    @Test
    void a_fault_for_running_queries_does_not_wait_for_later_ones() throws Exception {
        assertThat(faults.running(Fault.of(Kind.UNAVAILABLE))).isZero();
        assertThat(faults.pending()).isZero();
        rig.partitions().move(token);
        assertThat(rig.ask(query(token, T0, null)).awaitEnd()).isEqualTo(Status.OK);
    }

    @Test
    void a_stream_breaks_between_two_child_records_and_the_next_query_returns_both() throws Exception {
        rig.partitions().separateChildRecords(true);
        commit(1);
        List<String> split = rig.partitions().split(token);
        faults.next(Fault.of(Kind.BETWEEN_CHILD_RECORDS));

        RowCollector broken = rig.ask(query(token, T0, null));
        RowCollector whole = rig.ask(query(token, T0, null));

        assertThat(tokens(broken)).containsExactly(split.getFirst());
        assertThat(broken.awaitEnd().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(children(whole.rows())).hasSize(2);
        assertThat(tokens(whole)).isEqualTo(split);
        assertThat(whole.awaitEnd()).isEqualTo(Status.OK);
    }

    @Test
    void a_single_child_record_is_followed_by_the_break() throws Exception {
        String child = rig.partitions().move(token);
        faults.next(Fault.of(Kind.BETWEEN_CHILD_RECORDS));
        RowCollector broken = rig.ask(query(token, T0, null));
        assertThat(tokens(broken)).containsExactly(child);
        assertThat(broken.awaitEnd().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    }

    @Test
    void the_initial_query_breaks_between_its_child_records_too() throws Exception {
        rig.partitions().separateChildRecords(true);
        List<String> split = rig.partitions().split(token);
        var at = rig.partitions().live().getFirst().start();
        faults.next(Fault.of(Kind.BETWEEN_CHILD_RECORDS));

        RowCollector broken = rig.ask(query(null, at, null));
        RowCollector whole = rig.ask(query(null, at, null));

        assertThat(tokens(broken)).containsExactly(split.getFirst());
        assertThat(broken.lastResumeToken().isEmpty())
                .as("without a resume token")
                .isTrue();
        assertThat(broken.awaitEnd().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(tokens(whole)).isEqualTo(split);
    }

    @Test
    void a_query_ends_with_ok_and_no_child_record() throws Exception {
        commit(1, 2);
        rig.partitions().split(token);
        faults.next(Fault.of(Kind.CLEAN_END).afterRows(1));
        faults.next(Fault.of(Kind.CLEAN_END).afterRows(1_000));

        RowCollector early = rig.ask(query(token, T0, null));
        RowCollector atEnd = rig.ask(query(token, T0, null));

        assertThat(early.awaitEnd()).isEqualTo(Status.OK);
        assertThat(keys(early)).containsExactly(1);
        assertThat(atEnd.awaitEnd()).isEqualTo(Status.OK);
        assertThat(keys(atEnd)).containsExactly(1, 2);
        assertThat(children(atEnd.rows())).isEmpty();
    }

    @Test
    void a_query_that_is_resumed_behind_a_child_record_does_not_end_before_the_next() throws Exception {
        rig.partitions().separateChildRecords(true);
        List<String> split = rig.partitions().split(token);
        faults.next(Fault.of(Kind.BETWEEN_CHILD_RECORDS));
        faults.next(Fault.of(Kind.CLEAN_END));
        ChangeStreamQuery query = query(token, T0, null);

        RowCollector broken = rig.ask(query);
        RowCollector resumed = rig.ask(query.resumingAt(broken.lastResumeToken()));

        assertThat(tokens(broken)).containsExactly(split.getFirst());
        assertThat(tokens(resumed)).containsExactly(split.getLast());
        assertThat(faults.pending()).as("left for the next query").isEqualTo(1);
    }

    @Test
    void the_initial_query_ends_without_a_record() throws Exception {
        faults.next(Fault.of(Kind.CLEAN_END));
        RowCollector empty = rig.ask(query(null, T0, null));
        assertThat(empty.rows()).isEmpty();
        assertThat(empty.awaitEnd()).isEqualTo(Status.OK);
    }

    @Test
    void a_stalled_query_returns_neither_rows_nor_heartbeats_until_it_is_let_go() throws Exception {
        RowCollector stalled = open(token);
        assertThat(faults.running(Fault.of(Kind.STALL))).isEqualTo(1);
        RowCollector healthy = open(token);

        commit(1);
        healthy.awaitRows(rows -> rows.size() == 1);
        time.advance(Duration.ofMillis(HEARTBEAT_MILLIS));
        healthy.awaitRows(rows -> rows.getLast() instanceof ReadRow.Heartbeat);
        assertThat(stalled.rows()).isEmpty();
        assertThat(rig.streams.running()).isEqualTo(2);

        faults.clear();
        stalled.awaitRows(rows -> !data(rows).isEmpty());
        assertThat(faults.counts().of(Kind.STALL)).isEqualTo(1);
    }

    @Test
    void a_stalled_query_can_have_returned_rows_before() throws Exception {
        commit(1, 2, 3);
        rig.partitions().move(token);
        faults.next(Fault.of(Kind.STALL).afterRows(2));
        RowCollector stalled = open(token);
        stalled.awaitRows(rows -> rows.size() == 2);
        faults.clear();
        assertThat(stalled.awaitEnd()).isEqualTo(Status.OK);
        assertThat(keys(stalled)).containsExactly(1, 2, 3);
    }

    @Test
    void rows_come_again_and_then_what_follows() throws Exception {
        commit(1, 2, 3);
        rig.partitions().move(token);
        faults.next(Fault.of(Kind.DUPLICATES).afterRows(2));
        RowCollector repeated = rig.ask(query(token, T0, null));
        assertThat(keys(repeated)).containsExactly(1, 2, 1, 2, 3);
        assertThat(children(repeated.rows())).hasSize(1);
        assertThat(repeated.awaitEnd()).isEqualTo(Status.OK);
    }

    @Test
    void a_query_without_rows_to_repeat_leaves_that_to_the_next() {
        rig.partitions().move(token);
        String child = rig.onlyToken();
        commit(1);
        rig.partitions().move(child);
        faults.next(Fault.of(Kind.DUPLICATES));

        assertThat(rig.read(token, T0)).hasSize(1);
        assertThat(faults.pending()).isEqualTo(1);
        var start = rig.partitions().all().get(1).start();
        assertThat(keys(rig.ask(query(child, start, null)))).containsExactly(1, 1);
        assertThat(faults.pending()).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"UNAVAILABLE", "CLEAN_END", "STALL"})
    void a_fault_that_is_due_after_the_end_replaces_the_child_records(Kind kind) throws Exception {
        commit(1);
        rig.partitions().split(token);
        faults.next(Fault.of(kind).afterRows(100));
        RowCollector struck = open(token);
        struck.awaitRows(rows -> rows.size() == 1 && faults.counts().of(kind) == 1);
        assertThat(children(struck.rows())).isEmpty();
    }

    @Test
    void a_fault_for_one_partition_spares_the_others_and_waits_for_its_query() throws Exception {
        List<String> split = rig.partitions().split(token);
        var start = rig.partitions().live().getFirst().start();
        split.forEach(rig.partitions()::move);
        faults.next(Fault.of(Kind.UNAVAILABLE).inPartition(split.get(1)));

        assertThat(rig.ask(query(split.get(0), start, null)).awaitEnd()).isEqualTo(Status.OK);
        assertThat(faults.pending()).isEqualTo(1);
        assertThat(rig.ask(query(split.get(1), start, null)).awaitEnd().getCode())
                .isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(faults.pending()).isZero();
    }

    @Test
    void faults_strike_one_query_each_in_the_order_of_the_calls() throws Exception {
        rig.partitions().move(token);
        faults.next(Fault.of(Kind.UNAVAILABLE));
        faults.next(Fault.of(Kind.RESOURCE_EXHAUSTED));
        assertThat(ends(3)).containsExactly(Status.Code.UNAVAILABLE, Status.Code.RESOURCE_EXHAUSTED, Status.Code.OK);
        assertThat(faults.counts()).hasToString("2 (unavailable 1, resource-exhausted 1)");
    }

    @Test
    void cleared_faults_have_no_effect() throws Exception {
        rig.partitions().move(token);
        faults.next(Fault.of(Kind.UNAVAILABLE));
        faults.clear();
        assertThat(ends(1)).containsExactly(Status.Code.OK);
        assertThat(faults.counts().total()).isZero();
        assertThat(faults.counts()).hasToString("0");
    }

    private List<Status.Code> ends(int queries) throws InterruptedException {
        List<Status.Code> ends = new ArrayList<>();
        for (int i = 0; i < queries; i++) {
            ends.add(rig.ask(query(token, T0, null)).awaitEnd().getCode());
        }
        return ends;
    }

    private RowCollector open(String partition) throws InterruptedException {
        RowCollector query = rig.open(withHeartbeat(query(partition, T0, null), HEARTBEAT_MILLIS));
        query.awaitRows(rows -> !query.messages().isEmpty());
        return query;
    }

    private void commit(long... ids) {
        for (long id : ids) {
            rig.commit(insertOrder(id));
        }
    }

    private static List<Integer> keys(RowCollector query) {
        return data(query.rows()).stream()
                .flatMap(row -> row.keys().stream())
                .map(key -> Integer.valueOf(key.replaceAll("\\D", "")))
                .toList();
    }

    private static List<String> tokens(RowCollector query) {
        return children(query.rows()).stream()
                .flatMap(record -> record.tokens().stream())
                .toList();
    }
}
