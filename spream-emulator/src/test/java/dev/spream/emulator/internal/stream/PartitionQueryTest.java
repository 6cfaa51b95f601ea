package dev.spream.emulator.internal.stream;

import static dev.spream.emulator.internal.stream.StreamRig.T0;
import static dev.spream.emulator.internal.stream.StreamRig.children;
import static dev.spream.emulator.internal.stream.StreamRig.data;
import static dev.spream.emulator.internal.stream.StreamRig.insertOrder;
import static dev.spream.emulator.internal.stream.StreamRig.query;
import static dev.spream.emulator.internal.stream.StreamRig.withHeartbeat;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.PartialResultSet;
import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PartitionQueryTest {

    @Test
    void the_initial_query_names_the_partitions_alive_at_its_start_without_parents_and_ends() throws Exception {
        try (StreamRig rig = new StreamRig(DrivenClock.startingAt(T0), 1)) {
            rig.ddl("CREATE CHANGE STREAM S FOR ALL");
            List<String> first = tokens(rig);
            rig.partitions().split(first.getFirst());
            Instant afterwards = rig.clock.now();

            RowCollector before = rig.ask(query(null, T0, null));
            RowCollector after =
                    rig.ask(query(null, rig.partitions().live().getFirst().start(), null));

            assertThat(before.awaitEnd()).isEqualTo(Status.OK);
            assertThat(children(before.rows()).stream().flatMap(r -> r.tokens().stream()))
                    .containsExactlyInAnyOrderElementsOf(first);
            assertThat(children(before.rows())).allSatisfy(record -> {
                assertThat(record.start()).isEqualTo(T0);
                assertThat(record.children()).allMatch(child -> child.parents().isEmpty());
            });
            assertThat(children(after.rows()).stream().flatMap(r -> r.tokens().stream()))
                    .containsExactlyInAnyOrderElementsOf(tokens(rig));
            assertThat(afterwards).isAfterOrEqualTo(T0);
        }
    }

    @Test
    void initial_queries_return_one_record_or_several() {
        Set<Integer> shapes = new HashSet<>();
        try (StreamRig rig = new StreamRig(DrivenClock.startingAt(T0), 1)) {
            rig.ddl("CREATE CHANGE STREAM S FOR ALL");
            for (int i = 0; i < 50; i++) {
                shapes.add(rig.ask(query(null, T0, null)).rows().size());
            }
        }
        assertThat(shapes).containsExactlyInAnyOrder(1, 2);
    }

    @Test
    void a_split_ends_its_parent_with_child_records_of_one_start_in_one_record_or_two() {
        Set<Integer> shapes = new HashSet<>();
        for (int seed = 0; seed < 20; seed++) {
            try (StreamRig rig = rig(seed)) {
                String parent = rig.onlyToken();
                List<String> split = rig.partitions().split(parent);
                Instant end = rig.partitions().live().getFirst().start();

                List<ReadRow> rows = rig.read(parent, T0);

                assertThat(data(rows)).isEmpty();
                assertThat(children(rows)).hasSameSizeAs(rows).allSatisfy(record -> {
                    assertThat(record.start()).isEqualTo(end);
                    assertThat(record.children())
                            .allMatch(child -> child.parents().equals(List.of(parent)));
                });
                assertThat(children(rows).stream().flatMap(r -> r.tokens().stream()))
                        .containsExactlyElementsOf(split);
                assertThat(children(rows).stream().map(ReadRow.Children::sequence))
                        .isSorted()
                        .doesNotHaveDuplicates();
                shapes.add(rows.size());
            }
        }
        assertThat(shapes).containsExactlyInAnyOrder(1, 2);
    }

    @Test
    void both_parents_of_a_merge_return_the_identical_record() {
        try (StreamRig rig = new StreamRig(DrivenClock.startingAt(T0), 1)) {
            rig.ddl("CREATE CHANGE STREAM S FOR ALL");
            List<String> parents = tokens(rig);
            String merged = rig.partitions().merge(parents.get(1), parents.get(0));

            List<ReadRow> left = rig.read(parents.get(0), T0);
            assertThat(left).hasSize(1).isEqualTo(rig.read(parents.get(1), T0));
            assertThat(children(left).getFirst().children()).containsExactly(new ReadRow.Child(merged, parents));
        }
    }

    @Test
    void a_moved_partition_has_one_child_with_one_parent_and_the_same_range() {
        try (StreamRig rig = StreamRig.onePartition()) {
            String parent = rig.onlyToken();
            String child = rig.partitions().move(parent);

            assertThat(children(rig.read(parent, T0)).getFirst().children())
                    .containsExactly(new ReadRow.Child(child, List.of(parent)));
            assertThat(rig.partitions().all().stream().map(PartitionView::range).distinct())
                    .hasSize(1);
            assertThat(rig.partitions().counts().moves()).isEqualTo(1);
        }
    }

    @Test
    void a_commit_at_exactly_the_start_of_a_child_belongs_to_the_child() {
        try (StreamRig rig = StreamRig.onePartition()) {
            String parent = rig.onlyToken();
            rig.commit(insertOrder(1));
            String child = rig.partitions().move(parent);
            Instant boundary = rig.partitions().live().getFirst().start();
            Instant commit = rig.commit(insertOrder(2));
            rig.partitions().move(child);

            assertThat(commit).isEqualTo(boundary);
            assertThat(data(rig.read(parent, T0)).stream().flatMap(r -> r.keys().stream()))
                    .containsExactly("{\"Id\":\"1\"}");
            assertThat(data(rig.read(child, boundary)).stream().flatMap(r -> r.keys().stream()))
                    .containsExactly("{\"Id\":\"2\"}");
        }
    }

    @Test
    void a_query_that_starts_at_the_end_of_its_partition_gets_the_child_records_only() throws Exception {
        try (StreamRig rig = StreamRig.onePartition()) {
            String parent = rig.onlyToken();
            rig.commit(insertOrder(1));
            rig.partitions().move(parent);
            Instant end = rig.partitions().live().getFirst().start();

            RowCollector query = rig.ask(query(parent, end, null));

            assertThat(query.rows()).hasSize(1).allMatch(ReadRow.Children.class::isInstance);
            assertThat(query.awaitEnd()).isEqualTo(Status.OK);
        }
    }

    @Test
    void start_and_end_are_inclusive() {
        DrivenClock time = DrivenClock.startingAt(T0);
        try (StreamRig rig = new StreamRig(time, 1, DatabaseDialect.GOOGLE_STANDARD_SQL, 1, PartitionChurn.none())) {
            rig.ddl("CREATE CHANGE STREAM S FOR ALL");
            rig.commit(insertOrder(1));
            Instant second = rig.commit(insertOrder(2));
            Instant third = rig.commit(insertOrder(3));
            rig.commit(insertOrder(4));
            time.advance(Duration.ofSeconds(1));

            RowCollector query = rig.ask(query(rig.onlyToken(), second, third));

            assertThat(data(query.rows()).stream().map(ReadRow.Data::commit)).containsExactly(second, third);
        }
    }

    @Test
    void a_query_that_ends_before_its_partition_gets_no_child_records_but_one_that_ends_with_it_does() {
        DrivenClock time = DrivenClock.startingAt(T0);
        try (StreamRig rig = new StreamRig(time, 1, DatabaseDialect.GOOGLE_STANDARD_SQL, 1, PartitionChurn.none())) {
            rig.ddl("CREATE CHANGE STREAM S FOR ALL");
            String token = rig.onlyToken();
            time.advance(Duration.ofSeconds(1));
            rig.partitions().move(token);
            Instant end = rig.partitions().live().getFirst().start();

            assertThat(rig.ask(query(token, T0, end.minusNanos(1000))).rows()).isEmpty();
            assertThat(rig.ask(query(token, T0, end)).rows()).hasSize(1);
            assertThat(rig.ask(query(token, T0, end.plusSeconds(3))).rows()).hasSize(1);
        }
    }

    @Test
    void an_end_in_the_future_is_waited_for() throws Exception {
        try (StreamRig rig = realTime()) {
            Instant start = rig.clock.now();
            Instant end = start.plusMillis(300);
            RowCollector query = rig.open(query(rig.onlyToken(), start, end));
            query.awaitRows(rows -> !query.messages().isEmpty());
            Instant commit = rig.commit(insertOrder(1));

            assertThat(query.awaitEnd()).isEqualTo(Status.OK);
            assertThat(InstantSource.system().instant()).isAfterOrEqualTo(end);
            assertThat(data(query.rows()).stream().map(ReadRow.Data::commit)).containsExactly(commit);
        }
    }

    @Test
    void a_start_in_the_near_future_is_waited_for_by_the_initial_query_too() throws Exception {
        try (StreamRig rig = realTime()) {
            Instant start = rig.clock.now().plusMillis(200);
            RowCollector initial = rig.open(query(null, start, null));
            RowCollector partition = rig.open(query(rig.onlyToken(), start, start.plusMillis(100)));

            assertThat(initial.awaitEnd()).isEqualTo(Status.OK);
            assertThat(InstantSource.system().instant()).isAfterOrEqualTo(start);
            assertThat(partition.awaitEnd()).isEqualTo(Status.OK);
        }
    }

    @Test
    void an_idle_query_beats_and_everything_that_comes_later_is_later_than_the_beat() throws Exception {
        try (StreamRig rig = realTime()) {
            RowCollector query = rig.open(withHeartbeat(query(rig.onlyToken(), rig.clock.now(), null), 100L));
            query.awaitRows(rows -> rows.size() >= 2);
            rig.commit(insertOrder(1));
            query.awaitRows(rows -> !data(rows).isEmpty());
            int before = query.rows().size();
            query.awaitRows(rows -> rows.size() > before);
            rig.partitions().move(rig.onlyToken());

            assertThat(query.awaitEnd()).isEqualTo(Status.OK);
            List<Instant> times = query.rows().stream().map(ReadRow::time).toList();
            assertThat(times).isSorted().doesNotHaveDuplicates();
            assertThat(query.rows().getFirst()).isInstanceOf(ReadRow.Heartbeat.class);
            assertThat(query.rows().getLast()).isInstanceOf(ReadRow.Children.class);
        }
    }

    @Test
    void a_query_that_returns_data_does_not_beat() throws Exception {
        try (StreamRig rig = StreamRig.onePartition()) {
            RowCollector query = rig.open(query(rig.onlyToken(), T0, null));
            for (int i = 1; i <= 20; i++) {
                rig.commit(insertOrder(i));
                int count = i;
                query.awaitRows(rows -> rows.size() == count);
            }
            assertThat(query.rows()).allMatch(ReadRow.Data.class::isInstance);
        }
    }

    @Test
    void the_result_type_is_in_the_first_message_only_and_every_message_has_a_resume_token() {
        try (StreamRig rig = StreamRig.onePartition()) {
            String token = rig.onlyToken();
            for (int i = 0; i < 2500; i++) {
                rig.commit(insertOrder(i));
            }
            rig.partitions().split(token);

            List<PartialResultSet> messages = rig.ask(query(token, T0, null)).messages();

            assertThat(messages.getFirst().getMetadata()).isEqualTo(ChangeRecordType.GOOGLE_STANDARD_SQL);
            assertThat(messages.subList(1, messages.size())).noneMatch(PartialResultSet::hasMetadata);
            assertThat(messages).noneMatch(message -> message.getResumeToken().isEmpty());
            assertThat(messages.stream()
                            .mapToInt(PartialResultSet::getValuesCount)
                            .max())
                    .hasValue(1000);
        }
    }

    @Test
    void a_query_resumes_behind_any_message() {
        try (StreamRig rig = StreamRig.onePartition()) {
            String token = rig.onlyToken();
            for (int i = 0; i < 1500; i++) {
                rig.commit(insertOrder(i));
            }
            rig.partitions().split(token);
            ChangeStreamQuery query = query(token, T0, null);
            RowCollector whole = rig.ask(query);

            int seen = 0;
            for (PartialResultSet message : whole.messages()) {
                seen += message.getValuesCount();
                assertThat(rig.ask(query.resumingAt(message.getResumeToken())).values())
                        .isEqualTo(whole.values().subList(seen, whole.values().size()));
            }
        }
    }

    @Test
    void thousands_of_idle_queries_all_hear_of_the_end() throws Exception {
        try (StreamRig rig = StreamRig.onePartition()) {
            String token = rig.onlyToken();
            List<RowCollector> queries = IntStream.range(0, 3000)
                    .mapToObj(i -> rig.open(query(token, T0, null)))
                    .toList();
            rig.partitions().move(token);
            for (RowCollector query : queries) {
                assertThat(query.awaitEnd()).isEqualTo(Status.OK);
            }
        }
    }

    @Test
    void an_interrupted_query_ends_as_cancelled() throws Exception {
        try (StreamRig rig = StreamRig.onePartition()) {
            RowCollector out = new RowCollector();
            Thread thread = Thread.ofVirtual()
                    .start(() -> rig.streams.run(query(rig.onlyToken(), T0, null), Optional.empty(), out, () -> false));
            out.awaitRows(rows -> !out.messages().isEmpty());
            thread.interrupt();
            assertThat(out.awaitEnd().getCode()).isEqualTo(Status.Code.CANCELLED);
        }
    }

    @Test
    void closing_ends_queries_as_unavailable_and_dropping_the_stream_as_not_found() throws Exception {
        StreamRig rig = StreamRig.onePartition();
        rig.ddl("CREATE CHANGE STREAM Other FOR Items");
        String otherToken = rig.streams.partitions("Other").live().getFirst().token();
        RowCollector query = rig.open(query(rig.onlyToken(), T0, null));
        RowCollector other = rig.open(new ChangeStreamQuery(
                "Other", "READ_Other", rig.clock.now(), null, otherToken, 1000L, false, ByteString.EMPTY));
        other.awaitRows(rows -> !other.messages().isEmpty());
        rig.ddl("DROP CHANGE STREAM Other");
        assertThat(other.awaitEnd().getCode()).isEqualTo(Status.Code.NOT_FOUND);
        rig.close();
        assertThat(query.awaitEnd().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    }

    private static StreamRig rig(long seed) {
        StreamRig rig = new StreamRig(
                DrivenClock.startingAt(T0), seed, DatabaseDialect.GOOGLE_STANDARD_SQL, 1, PartitionChurn.none());
        rig.ddl("CREATE CHANGE STREAM S FOR ALL");
        return rig;
    }

    private static StreamRig realTime() {
        StreamRig rig =
                new StreamRig(InstantSource.system(), 1, DatabaseDialect.GOOGLE_STANDARD_SQL, 1, PartitionChurn.none());
        rig.ddl("CREATE CHANGE STREAM S FOR ALL");
        return rig;
    }

    private static List<String> tokens(StreamRig rig) {
        return rig.partitions().live().stream().map(PartitionView::token).toList();
    }
}
