package dev.spream.emulator.internal.stream;

import static dev.spream.emulator.internal.stream.StreamRig.MUTABLE;
import static dev.spream.emulator.internal.stream.StreamRig.T0;
import static dev.spream.emulator.internal.stream.StreamRig.children;
import static dev.spream.emulator.internal.stream.StreamRig.data;
import static dev.spream.emulator.internal.stream.StreamRig.deleteOrder;
import static dev.spream.emulator.internal.stream.StreamRig.insertOrder;
import static dev.spream.emulator.internal.stream.StreamRig.query;
import static dev.spream.emulator.internal.stream.StreamRig.renameOrder;
import static dev.spream.emulator.internal.stream.StreamRig.withHeartbeat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.control.Fault;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.control.PartitionControl.KeyRange;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams with mutable key ranges: their queries, and the records of partitions. */
@Timeout(60)
class MutableKeyRangeTest {
    private final DrivenClock time = DrivenClock.startingAt(T0);
    private final StreamRig rig = StreamRig.mutable(time, 1, 1);

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void a_query_needs_an_end_at_most_thirty_minutes_after_its_start() throws Exception {
        Instant latest = T0.plus(Duration.ofMinutes(30));
        time.advance(Duration.ofHours(1));

        refuses(T0, null, Status.Code.INVALID_ARGUMENT, "end_timestamp must not be null.");
        refuses(
                T0,
                latest.plusNanos(1),
                Status.Code.OUT_OF_RANGE,
                "Specified end_timestamp is too far in the future. Please specify an end_timestamp within the"
                        + " earliest start timestamp: 2026-01-01T00:00:00+00:00, and the current maximum end timestamp:"
                        + " 2026-01-01T00:30:00+00:00. Received end_timestamp: 2026-01-01T00:30:00.000000001+00:00.");
        refuses(
                T0,
                T0.minusSeconds(1),
                Status.Code.INVALID_ARGUMENT,
                "If end_timestamp is specified, start_timestamp must be <= end_timestamp. Received start_timestamp:"
                        + " 2026-01-01T00:00:00+00:00, end_timestamp: 2025-12-31T23:59:59+00:00.");
        assertThat(rig.ask(query(null, T0, latest)).awaitEnd()).isEqualTo(Status.OK);
        assertThat(rig.ask(query(rig.onlyToken(), T0, latest)).awaitEnd()).isEqualTo(Status.OK);
    }

    private void refuses(Instant start, @Nullable Instant end, Status.Code code, String text) throws Exception {
        Status refused = rig.ask(query(null, start, end)).awaitEnd();
        assertThat(refused.getCode()).isEqualTo(code);
        assertThat(refused.getDescription()).isEqualTo(text);
    }

    @Test
    void the_initial_query_returns_start_records_of_the_living_partitions() {
        String first = rig.onlyToken();
        time.advance(Duration.ofSeconds(1));
        List<String> split = rig.partitions().split(first);
        Instant at = rig.partitions().live().getFirst().start();

        assertThat(tokens(rig.readByNow(null, T0))).containsExactly(first);
        assertThat(tokens(rig.readByNow(null, at))).isEqualTo(split);
        assertThat(children(rig.readByNow(null, at)))
                .allMatch(record -> record.start().equals(at));
    }

    @Test
    void a_split_returns_the_children_one_event_and_the_end_in_the_order_of_their_sequences() {
        Set<Integer> shapes = new HashSet<>();
        for (int seed = 0; seed < 20; seed++) {
            try (StreamRig seeded = StreamRig.mutable(DrivenClock.startingAt(T0), seed, 1)) {
                String parent = seeded.onlyToken();
                seeded.commit(insertOrder(1));
                List<String> split = seeded.partitions().split(parent);
                Instant at = seeded.partitions().live().getFirst().start();

                List<ReadRow> rows = seeded.readByNow(parent, T0);
                assertThat(data(rows)).hasSize(1);
                List<ReadRow> closing = rows.subList(1, rows.size());
                assertThat(tokens(closing)).isEqualTo(split);
                assertThat(closing).allMatch(row -> row.time().equals(at));
                assertThat(closing.get(closing.size() - 2))
                        .isEqualTo(new ReadRow.Event(at, sequence(closing.size() - 2), parent, List.of(), split));
                assertThat(closing.getLast()).isEqualTo(new ReadRow.End(at, sequence(closing.size() - 1), parent));
                for (String child : split) {
                    assertThat(seeded.readByNow(child, at)).singleElement().satisfies(row -> {
                        ReadRow.Event event = (ReadRow.Event) row;
                        assertThat(event.token()).isEqualTo(child);
                        assertThat(event.at()).isEqualTo(at);
                        assertThat(event.sources()).containsExactly(parent);
                        assertThat(event.destinations()).isEmpty();
                    });
                }
                shapes.add(closing.size());
            }
        }
        assertThat(shapes).containsExactlyInAnyOrder(3, 4);
    }

    @Test
    void only_the_first_parent_of_a_merge_names_the_child_and_each_has_its_event_and_its_end() {
        List<String> parents = rig.partitions().split(rig.onlyToken());
        String child = rig.partitions().merge(parents.get(1), parents.get(0));
        PartitionView merged = rig.partitions().live().getFirst();
        Instant at = merged.start();

        List<ReadRow> first = rig.readByNow(parents.get(0), at);
        List<ReadRow> second = rig.readByNow(parents.get(1), at);

        assertThat(kinds(first)).containsExactly(ReadRow.Children.class, ReadRow.Event.class, ReadRow.End.class);
        assertThat(kinds(second)).containsExactly(ReadRow.Event.class, ReadRow.End.class);
        assertThat(tokens(first)).containsExactly(child);
        assertThat(Stream.of(first, second).map(rows -> rows.get(rows.size() - 2)))
                .allSatisfy(
                        row -> assertThat(((ReadRow.Event) row).destinations()).containsExactly(child));
        assertThat(rig.readByNow(child, at))
                .singleElement()
                .satisfies(row -> assertThat(((ReadRow.Event) row).sources()).isEqualTo(parents));
    }

    @Test
    void a_query_that_starts_later_than_an_event_does_not_return_it() {
        List<String> split = rig.partitions().split(rig.onlyToken());
        Instant at = rig.partitions().live().getFirst().start();
        time.advance(Duration.ofSeconds(1));

        assertThat(rig.readByNow(split.getFirst(), at)).hasSize(1);
        assertThat(rig.readByNow(split.getFirst(), at.plusNanos(1000))).isEmpty();
    }

    @Test
    void a_query_ends_with_its_window_and_the_next_one_starts_there() throws Exception {
        String token = rig.onlyToken();
        Instant window = T0.plus(Duration.ofMinutes(1));
        RowCollector open = rig.open(query(token, T0, window));
        Instant commit = rig.commit(insertOrder(1));
        open.awaitRows(rows -> rows.size() == 1);
        time.set(window.plusNanos(1000));

        assertThat(open.awaitEnd()).isEqualTo(Status.OK);
        assertThat(kinds(open.rows())).containsExactly(ReadRow.Data.class);
        assertThat(data(rig.readByNow(token, commit))).hasSize(1);
    }

    @Test
    void an_idle_query_returns_heartbeats() throws Exception {
        RowCollector open = rig.open(withHeartbeat(query(rig.onlyToken(), T0, T0.plus(Duration.ofMinutes(1))), 1_000L));
        open.awaitRows(rows -> !open.messages().isEmpty());
        time.advance(Duration.ofSeconds(1));
        assertThat(open.awaitRows(rows -> !rows.isEmpty())).containsExactly(new ReadRow.Heartbeat(time.instant()));
    }

    @Test
    void a_data_change_record_contains_what_it_does_in_the_other_mode() {
        try (StreamRig other = StreamRig.onePartition()) {
            for (StreamRig each : List.of(rig, other)) {
                each.commit("tag", false, insertOrder(1), insertOrder(2), StreamRig.insertItem(1));
                each.commit(renameOrder(1));
                each.commit(deleteOrder(1));
            }
            other.partitions().move(other.onlyToken());
            List<ReadRow> rows = rig.readByNow(rig.onlyToken(), T0);
            assertThat(rows)
                    .usingRecursiveComparison()
                    .ignoringFields("transaction")
                    .isEqualTo(
                            data(other.read(other.partitions().all().getFirst().token(), T0)));
            assertThat(rows).hasSize(4);
        }
    }

    @Test
    void sequences_increase_over_the_transactions_of_one_timestamp() {
        rig.commitAt(T0.plusSeconds(1), insertOrder(1), StreamRig.insertItem(1));
        rig.commitAt(T0.plusSeconds(1), insertOrder(2));
        rig.commitAt(T0.plusSeconds(2), insertOrder(3));
        time.advance(Duration.ofSeconds(3));
        assertThat(data(rig.readByNow(rig.onlyToken(), T0)).stream().map(ReadRow.Data::sequence))
                .containsExactly(sequence(0), sequence(1), sequence(2), sequence(0));
    }

    @Test
    void the_result_is_a_proto_in_googlesql_and_bytes_in_postgresql() {
        assertThat(rig.ask(query(null, T0, T0)).messages().getFirst().getMetadata())
                .isEqualTo(ChangeRecordType.GOOGLE_STANDARD_SQL_PROTO);
        try (StreamRig postgres =
                new StreamRig(DrivenClock.startingAt(T0), 1, DatabaseDialect.POSTGRESQL, 1, PartitionChurn.none())) {
            postgres.ddl(MUTABLE.replace("OPTIONS", "WITH").replace(" S ", " \"S\" "));
            RowCollector initial = postgres.ask(StreamRig.by("read_proto_bytes_S", query(null, T0, T0)));
            assertThat(initial.messages().getFirst().getMetadata())
                    .isEqualTo(ChangeRecordType.postgresqlProtoBytes("read_proto_bytes_S"));
            assertThat(tokens(initial.rows())).containsExactly(postgres.onlyToken());
        }
    }

    @Test
    void a_range_moves_between_partitions_that_both_continue() {
        List<String> tokens = rig.partitions().split(rig.onlyToken());
        String source = tokens.getFirst();
        String target = tokens.getLast();
        KeyRange all = view(source).range();
        KeyRange half = new KeyRange(0, all.to() / 2);
        Instant start = rig.clock.now();

        rig.partitions().moveRange(source, half, target);
        rig.partitions().moveRange(target, half, source);
        rig.partitions().moveRange(source, half, target);
        rig.partitions().moveRange(target, new KeyRange(1, 2), source);

        assertThat(view(source).ranges()).containsExactly(new KeyRange(1, 2), new KeyRange(half.to(), all.to()));
        assertThat(view(target).ranges())
                .containsExactly(
                        new KeyRange(0, 1), new KeyRange(2, half.to()), new KeyRange(all.to(), KeyRange.SPACE));
        Instant later = start.plusNanos(1000);
        List<ReadRow.Event> out = events(rig.readByNow(source, later));
        List<ReadRow.Event> in = events(rig.readByNow(target, later));
        assertThat(out).hasSize(4).hasSameSizeAs(in);
        for (int i = 0; i < out.size(); i++) {
            assertThat(out.get(i).at()).isEqualTo(in.get(i).at());
            assertThat(out.get(i).destinations()).isEqualTo(i % 2 == 0 ? List.of(target) : List.of());
            assertThat(out.get(i).sources()).isEqualTo(i % 2 == 0 ? List.of() : List.of(target));
            assertThat(in.get(i).sources()).isEqualTo(i % 2 == 0 ? List.of(source) : List.of());
        }
        assertThat(rig.partitions().counts().moves()).isEqualTo(4);
    }

    @Test
    void a_range_moves_to_a_new_partition_that_its_source_names() {
        String source = rig.onlyToken();
        String target = rig.partitions().moveRangeToNew(source, new KeyRange(0, KeyRange.SPACE));
        rig.partitions().end(source);
        Instant at = view(target).start();

        List<ReadRow> rows = rig.readByNow(source, T0);
        assertThat(kinds(rows)).containsExactly(ReadRow.Children.class, ReadRow.Event.class, ReadRow.End.class);
        assertThat(tokens(rows)).containsExactly(target);
        assertThat(rows.get(1)).isEqualTo(new ReadRow.Event(at, sequence(1), source, List.of(), List.of(target)));
        assertThat(rows.getLast().time()).isAfter(at);
        assertThat(rig.readByNow(target, at))
                .containsExactly(new ReadRow.Event(at, sequence(2), target, List.of(source), List.of()));
    }

    @Test
    void a_swap_has_one_event_with_both_directions_or_two_in_either_order() {
        Set<List<String>> shapes = new HashSet<>();
        for (int seed = 0; seed < 30; seed++) {
            try (StreamRig seeded = StreamRig.mutable(DrivenClock.startingAt(T0), seed, 2)) {
                List<PartitionView> live = seeded.partitions().live();
                String a = live.get(0).token();
                String b = live.get(1).token();
                seeded.partitions().swap(a, live.get(0).range(), b, live.get(1).range());

                List<ReadRow.Event> events = events(seeded.readByNow(a, T0));
                assertThat(events.stream().map(ReadRow.Event::at).distinct()).hasSize(1);
                assertThat(events.stream().map(ReadRow.Event::sequence))
                        .isSorted()
                        .doesNotHaveDuplicates();
                assertThat(seeded.partitions().live().stream().map(PartitionView::token))
                        .containsExactly(b, a);
                shapes.add(events.stream()
                        .map(event -> (event.sources().isEmpty() ? "" : "in")
                                + (event.destinations().isEmpty() ? "" : "out"))
                        .toList());
            }
        }
        assertThat(shapes).containsExactlyInAnyOrder(List.of("inout"), List.of("in", "out"), List.of("out", "in"));
    }

    @Test
    void changes_at_the_timestamp_of_a_move_come_before_it_in_the_source_and_after_it_in_the_target() throws Exception {
        List<String> tokens = rig.partitions().split(rig.onlyToken());
        String source = tokens.getFirst();
        String target = tokens.getLast();
        KeyRange range = view(source).range();
        CompletableFuture<String> moved = rig.partitions().atNextCommit(() -> {
            rig.partitions().moveRange(source, range, target);
            rig.partitions().end(source);
            return "moved";
        });
        assertThat(moved).isNotDone();
        RowChange[] inSource = IntStream.range(0, 100)
                .mapToObj(StreamRig::insertOrder)
                .filter(change -> KeyHash.of(change) < range.to())
                .toArray(RowChange[]::new);
        Instant at = rig.commit(inSource);

        assertThat(moved.get()).isEqualTo("moved");
        List<ReadRow> from = rig.readByNow(source, at);
        List<ReadRow> to = rig.readByNow(target, at);
        assertThat(kinds(from)).containsExactly(ReadRow.Data.class, ReadRow.Event.class, ReadRow.End.class);
        assertThat(kinds(to)).containsExactly(ReadRow.Event.class, ReadRow.Data.class);
        assertThat(Stream.concat(from.stream(), to.stream()))
                .allMatch(row -> row.time().equals(at));
        assertThat(data(Stream.concat(from.stream(), to.stream()).toList()).stream()
                        .flatMap(record -> record.keys().stream()))
                .hasSize(inSource.length)
                .doesNotHaveDuplicates();
        assertThat(data(from)).allMatch(record -> record.last() && record.partitions() == 2 && record.records() == 2);
        assertThat(tokens(rig.readByNow(null, at))).containsExactlyInAnyOrder(source, target);
    }

    @Test
    void one_change_comes_before_a_move_at_its_timestamp_and_a_failed_move_does_not_affect_it() {
        String source = rig.onlyToken();
        KeyRange all = view(source).range();
        CompletableFuture<String> moved =
                rig.partitions().atNextCommit(() -> rig.partitions().moveRangeToNew(source, all));
        CompletableFuture<String> failed =
                rig.partitions().atNextCommit(() -> rig.partitions().moveRangeToNew(source, all));
        Instant at = rig.commit(insertOrder(1));

        assertThat(moved).isCompleted();
        assertThat(failed).isCompletedExceptionally();
        assertThat(kinds(rig.readByNow(source, at)))
                .containsExactly(ReadRow.Data.class, ReadRow.Children.class, ReadRow.Event.class);
        assertThat(kinds(rig.readByNow(moved.join(), at))).containsExactly(ReadRow.Event.class);
    }

    @Test
    void moves_that_contradict_the_partitions_are_refused() {
        String token = rig.onlyToken();
        KeyRange all = view(token).range();
        assertThatThrownBy(() -> rig.partitions().moveRange(token, all, token))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> rig.partitions().end(token)).hasMessageContaining("cannot end while it contains");
        String other = rig.partitions().moveRangeToNew(token, new KeyRange(0, 10));
        assertThatThrownBy(() -> rig.partitions().moveRange(token, all, other))
                .hasMessageContaining("does not contain all keys of");
        assertThatThrownBy(() -> rig.partitions().swap(token, new KeyRange(10, 20), other, all))
                .hasMessageContaining("does not contain all keys of");
        assertThat(view(token).ranges()).containsExactly(new KeyRange(10, KeyRange.SPACE));
        try (StreamRig immutable = StreamRig.onePartition()) {
            assertThatThrownBy(() -> immutable.partitions().moveRangeToNew(immutable.onlyToken(), all))
                    .hasMessageContaining("MUTABLE_KEY_RANGE only");
        }
    }

    @Test
    void an_old_event_is_returned_again_and_later_records_follow() {
        String source = rig.onlyToken();
        String target = rig.partitions().moveRangeToNew(source, new KeyRange(0, KeyRange.SPACE));
        Instant at = view(target).start();
        rig.commit(insertOrder(1));
        rig.commit(insertOrder(2));
        rig.faults().next(Fault.of(Fault.Kind.OLD_EVENT).afterRows(2));

        assertThat(kinds(rig.readByNow(source, T0))).hasSize(2);
        assertThat(rig.faults().pending()).isEqualTo(1);
        List<ReadRow> rows = rig.readByNow(target, at);

        assertThat(kinds(rows))
                .containsExactly(ReadRow.Event.class, ReadRow.Data.class, ReadRow.Event.class, ReadRow.Data.class);
        assertThat(rows.get(2)).isEqualTo(rows.get(0));
        assertThat(rig.faults().pending()).isZero();
    }

    @Test
    void a_stream_breaks_between_the_records_of_one_timestamp_and_resumes_there() throws Exception {
        rig.partitions().separateChildRecords(true);
        String token = rig.onlyToken();
        rig.commit(insertOrder(1));
        rig.partitions().split(token);
        ChangeStreamQuery query = query(token, T0, rig.clock.now());
        List<ReadRow> whole = rig.ask(query).rows();
        assertThat(whole).hasSize(5);
        for (int rows = 2; rows < 5; rows++) {
            rig.faults().next(Fault.of(Fault.Kind.BETWEEN_CHILD_RECORDS).afterRows(rows));
            RowCollector broken = rig.ask(query);
            assertThat(broken.awaitEnd().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
            assertThat(broken.rows()).isEqualTo(whole.subList(0, rows));
            assertThat(rig.ask(query.resumingAt(broken.lastResumeToken())).rows())
                    .isEqualTo(whole.subList(rows, 5));
        }
        rig.faults().next(Fault.of(Fault.Kind.CLEAN_END).afterRows(100));
        RowCollector early = rig.ask(query);
        assertThat(early.awaitEnd()).isEqualTo(Status.OK);
        assertThat(early.rows()).as("without the end record").isEqualTo(whole.subList(0, 4));
    }

    private PartitionView view(String token) {
        return rig.partitions().all().stream()
                .filter(view -> view.token().equals(token))
                .findFirst()
                .orElseThrow();
    }

    private static List<ReadRow.Event> events(List<ReadRow> rows) {
        return rows.stream()
                .filter(ReadRow.Event.class::isInstance)
                .map(ReadRow.Event.class::cast)
                .toList();
    }

    private static List<Class<?>> kinds(List<ReadRow> rows) {
        return rows.stream().<Class<?>>map(ReadRow::getClass).toList();
    }

    private static List<String> tokens(List<ReadRow> rows) {
        return children(rows).stream().flatMap(row -> row.tokens().stream()).toList();
    }

    private static String sequence(int number) {
        return "0000000" + number;
    }
}
