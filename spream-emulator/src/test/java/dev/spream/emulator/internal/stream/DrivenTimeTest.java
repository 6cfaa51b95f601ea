package dev.spream.emulator.internal.stream;

import static dev.spream.emulator.internal.stream.StreamRig.T0;
import static dev.spream.emulator.internal.stream.StreamRig.data;
import static dev.spream.emulator.internal.stream.StreamRig.insertOrder;
import static dev.spream.emulator.internal.stream.StreamRig.query;
import static dev.spream.emulator.internal.stream.StreamRig.withHeartbeat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.control.PartitionChurn;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a clock that tests advance: hours pass without waiting. */
@Timeout(30)
class DrivenTimeTest {
    private static final Duration HEARTBEAT = Duration.ofMinutes(5);

    private final DrivenClock clock = DrivenClock.startingAt(T0);

    @Test
    void an_idle_query_beats_at_each_interval_and_not_before() throws Exception {
        try (StreamRig rig = rig(PartitionChurn.none())) {
            RowCollector query = rig.open(query(rig.onlyToken(), T0, null));
            query.awaitRows(rows -> !query.messages().isEmpty());
            for (int beat = 1; beat <= 12; beat++) {
                clock.advance(HEARTBEAT.minusMillis(1));
                clock.advance(Duration.ofMillis(1));
                int count = beat;
                query.awaitRows(rows -> rows.size() == count);
            }
            assertThat(query.rows())
                    .allMatch(row -> row instanceof ReadRow.Heartbeat)
                    .last()
                    .isEqualTo(new ReadRow.Heartbeat(T0.plus(Duration.ofHours(1))));
        }
    }

    @Test
    void thousands_of_idle_queries_beat_at_once() throws Exception {
        try (StreamRig rig = rig(PartitionChurn.none())) {
            List<RowCollector> queries = IntStream.range(0, 1_000)
                    .mapToObj(i -> rig.open(query(rig.onlyToken(), T0, null)))
                    .toList();
            for (RowCollector query : queries) {
                query.awaitRows(rows -> !query.messages().isEmpty());
            }
            clock.advance(HEARTBEAT);
            for (RowCollector query : queries) {
                assertThat(query.awaitRows(rows -> !rows.isEmpty()))
                        .containsExactly(new ReadRow.Heartbeat(T0.plus(HEARTBEAT)));
            }
        }
    }

    @Test
    void a_start_and_an_end_in_the_future_come_when_the_clock_is_moved_there() throws Exception {
        try (StreamRig rig = rig(PartitionChurn.none())) {
            Instant start = T0.plus(Duration.ofMinutes(9));
            Instant end = start.plus(Duration.ofHours(20));
            RowCollector initial = rig.open(query(null, start, end));
            RowCollector query = rig.open(query(rig.onlyToken(), start, end));
            rig.commit(insertOrder(1));
            clock.set(start);
            Instant commit = rig.commit(insertOrder(2));
            assertThat(initial.awaitEnd()).isEqualTo(Status.OK);
            query.awaitRows(rows -> rows.size() == 1);
            clock.set(end);
            assertThat(query.awaitEnd()).isEqualTo(Status.OK);
            assertThat(data(query.rows()).stream().map(ReadRow.Data::commit)).containsExactly(commit);
        }
    }

    @Test
    void retention_runs_out_as_the_clock_is_moved() throws Exception {
        try (StreamRig rig = rig(PartitionChurn.none())) {
            String token = rig.onlyToken();
            rig.ddl("ALTER CHANGE STREAM S SET OPTIONS (retention_period = '1d')");
            rig.commit(insertOrder(1));
            rig.partitions().move(token);
            clock.advance(Duration.ofHours(24));
            assertThat(rig.ask(query(token, T0, null)).awaitEnd()).isEqualTo(Status.OK);

            clock.advance(Duration.ofSeconds(1));
            Status lost = rig.ask(query(token, T0, null)).awaitEnd();
            assertThat(lost.getCode()).isEqualTo(Status.Code.OUT_OF_RANGE);
            assertThat(lost.getDescription()).startsWith("This partition is no longer valid.");
        }
    }

    @Test
    void partitions_churn_as_often_as_time_has_passed_for_it() throws Exception {
        try (StreamRig rig = rig(PartitionChurn.every(Duration.ofHours(1)))) {
            RowCollector query = rig.open(query(rig.onlyToken(), T0, null));
            query.awaitRows(rows -> !query.messages().isEmpty());
            assertThat(rig.partitions().all()).hasSize(1);
            clock.advance(Duration.ofMinutes(90));
            assertThat(query.awaitEnd()).as("the end of the only partition").isEqualTo(Status.OK);
            assertThat(changes(rig)).isBetween(1, 2);
        }
    }

    private static int changes(StreamRig rig) {
        var counts = rig.partitions().counts();
        return counts.splits() + counts.merges() + counts.moves();
    }

    @Test
    void commits_take_their_timestamps_from_it() {
        try (StreamRig rig = rig(PartitionChurn.none())) {
            clock.advance(Duration.ofDays(3));
            assertThat(rig.commit(insertOrder(1))).isEqualTo(T0.plus(Duration.ofDays(3)));
        }
    }

    @Test
    void a_short_interval_needs_no_real_time_either() throws Exception {
        try (StreamRig rig = rig(PartitionChurn.none())) {
            RowCollector query = rig.open(withHeartbeat(query(rig.onlyToken(), T0, null), 100L));
            query.awaitRows(rows -> !query.messages().isEmpty());
            clock.advance(Duration.ofDays(365));
            assertThat(query.awaitRows(rows -> !rows.isEmpty())).hasSize(1);
        }
    }

    @Test
    void it_does_not_go_back() {
        assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1))).hasMessageContaining("cannot be moved back");
        assertThatThrownBy(() -> clock.set(T0.minusNanos(1))).hasMessageContaining("cannot be moved back");
        assertThat(clock.instant()).isEqualTo(T0);
    }

    @Test
    void listeners_hear_of_each_move_until_they_leave() {
        AtomicInteger moves = new AtomicInteger();
        Runnable count = moves::incrementAndGet;
        DrivenClock.Listening first = clock.onMove(count);
        clock.onMove(count);
        clock.set(T0);
        assertThat(moves).hasValue(2);
        first.close();
        first.close();
        clock.advance(Duration.ofDays(1));
        assertThat(moves).hasValue(3);
    }

    private StreamRig rig(PartitionChurn churn) {
        StreamRig rig = new StreamRig(clock, 1, DatabaseDialect.GOOGLE_STANDARD_SQL, 1, churn);
        rig.ddl("CREATE CHANGE STREAM S FOR ALL");
        return rig;
    }
}
