package dev.spream.flink;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.Ordering;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.testkit.subscription.MappedSource;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.ByteArrayOutputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.testutils.source.reader.TestingReaderContext;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.runtime.source.event.SourceEventWrapper;
import org.apache.flink.runtime.source.event.WatermarkAlignmentEvent;
import org.apache.flink.runtime.state.OperatorStateBackendParametersImpl;
import org.apache.flink.runtime.state.StateInitializationContextImpl;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.streaming.api.operators.SourceOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;
import org.apache.flink.streaming.api.operators.source.CollectingDataOutput;
import org.apache.flink.streaming.api.operators.source.TestingSourceOperator;
import org.apache.flink.streaming.runtime.tasks.SourceOperatorStreamTask;
import org.apache.flink.streaming.runtime.tasks.TestProcessingTimeService;
import org.apache.flink.streaming.util.MockOutput;
import org.apache.flink.streaming.util.MockStreamConfig;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PartitionSourceReaderTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ScriptedSource source = new ScriptedSource();
    private final TestingReaderContext context = new TestingReaderContext();
    private final Log log = new Log();
    private final PartitionSourceReader<String> reader = reader(Duration.ofMillis(10));

    private PartitionSourceReader<String> reader(Duration reportInterval) {
        return new PartitionSourceReader<>(
                context,
                source,
                new ReadOptions(
                        Optional.of(START),
                        Optional.empty(),
                        false,
                        Ordering.KEY,
                        Duration.ofSeconds(10),
                        reportInterval,
                        5,
                        1 << 20),
                new Labels());
    }

    @AfterEach
    void close() {
        reader.close();
    }

    @Test
    void a_partition_without_heartbeats_moves_its_watermark_by_its_changes() throws Exception {
        source.change("p", 3, "A").change("p", 7, "A");
        reader.addSplits(List.of(split("p")));
        reader.start();

        poll(() -> log.lines.contains("p: " + (at(7).toEpochMilli() - 1)));

        assertThat(log.lines).containsSubsequence("p: A3", "p: A7");
    }

    /** Flink polls no reader that is too far ahead in its alignment group; another one may wait for what it has emitted. */
    @Test
    void a_reader_that_is_not_polled_reports_its_progress_at_a_checkpoint_and_at_an_alignment() throws Exception {
        source.change("p", 3, "A").change("p", 7, "A");
        try (PartitionSourceReader<String> unpolled = reader(Duration.ofHours(1))) {
            unpolled.addSplits(List.of(split("p")));
            unpolled.start();
            poll(unpolled, () -> log.lines.contains("p: A7"));
            ReaderEvent expected = new ReaderEvent.Progress(
                    List.of(new SplitProgress(new PartitionToken("p"), at(7), Optional.empty(), List.of())));
            assertThat(context.getSentEvents()).doesNotContain(expected);

            unpolled.snapshotState(1);
            assertThat(context.getSentEvents()).contains(expected);
            context.clearSentEvents();
            unpolled.pauseOrResumeSplits(List.of("p"), List.of());
            assertThat(context.getSentEvents()).contains(expected);
        }
    }

    @Test
    void the_output_of_the_low_watermark_is_opened_before_any_other() throws Exception {
        source.change("p", 3, "A");
        reader.addSplits(List.of(split("p")));
        reader.start();
        poll(() -> log.lines.contains("p: A3"));

        reader.handleSourceEvents(new EnumeratorEvent.LowWatermark(at(2)));
        poll(() -> log.lines.contains("low watermark: " + (at(2).toEpochMilli() - 1)));

        assertThat(log.lines).startsWith("open low watermark", "open p");
    }

    /** Flink refuses the watermark of an unknown split, unless it has noted the output as active before, as it does. */
    @Test
    @SuppressWarnings({"unchecked", "rawtypes"}) // Flink's operator for tests has splits of its own
    void flink_takes_the_low_watermark_although_it_is_of_no_split() throws Exception {
        MockEnvironment environment = new MockEnvironmentBuilder().build();
        TestProcessingTimeService time = new TestProcessingTimeService();
        SourceOperator<String, ?> operator = new TestingSourceOperator<>(
                new StreamOperatorParameters<>(
                        new SourceOperatorStreamTask<>(environment),
                        new MockStreamConfig(new Configuration(), 1),
                        new MockOutput<>(new ArrayList<>()),
                        () -> time,
                        null,
                        null),
                (SourceReader) reader,
                WatermarkStrategy.noWatermarks(),
                time,
                true,
                false);
        operator.initializeState(new StateInitializationContextImpl(
                null,
                new HashMapStateBackend()
                        .createOperatorStateBackend(new OperatorStateBackendParametersImpl(
                                environment, "source", List.of(), new CloseableRegistry())),
                null,
                null,
                null));
        operator.open();
        assertThatNullPointerException().isThrownBy(() -> operator.updateCurrentSplitWatermark("unknown", 1));
        CollectingDataOutput<String> output = new CollectingDataOutput<>();
        operator.emitNext(output);
        operator.handleOperatorEvent(new WatermarkAlignmentEvent(at(1).toEpochMilli()));

        operator.handleOperatorEvent(new SourceEventWrapper(new EnumeratorEvent.LowWatermark(at(2))));
        operator.emitNext(output);

        assertThat(output.getEvents())
                .contains(new org.apache.flink.streaming.api.watermark.Watermark(at(2).toEpochMilli() - 1));
    }

    /** Flink opens an output for each restored split, which would hold the watermark of the job. */
    @Test
    void the_output_of_a_split_that_is_restored_as_ended_is_closed() throws Exception {
        PartitionSplit ended = new PartitionSplit(
                new PartitionToken("p"),
                new PartitionToken("p"),
                START,
                at(5),
                Set.of(),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Optional.of(PartitionEnd.boundedEnd(at(5))),
                List.of());
        reader.addSplits(List.of(ended));
        reader.start();

        poll(() -> log.lines.contains("close p"));

        assertThat(source.queries()).isEmpty();
        assertThat(reader.snapshotState(1)).containsExactly(ended);
        reader.handleSourceEvents(new EnumeratorEvent.EndStored(ended.token()));
        assertThat(reader.snapshotState(2)).isEmpty();
    }

    /** Flink refuses a message of more than 10 MB. */
    @Test
    void thousands_of_restored_splits_are_reported_in_small_messages() throws Exception {
        source.maxOpenQueries(1);
        int count = 5_001;
        String children = "c".repeat(200);
        reader.addSplits(IntStream.range(0, count)
                .mapToObj(i -> {
                    PartitionSplit split = split("p".repeat(200) + i);
                    return new PartitionSplit(
                            split.token(),
                            split.query(),
                            START,
                            START,
                            Set.of(),
                            Optional.empty(),
                            Optional.empty(),
                            List.of(EnumeratorStage.children(1, EnumeratorStage.child(List.of(), children + i))),
                            Optional.empty(),
                            List.of());
                })
                .toList());

        reader.start();

        List<SourceEvent> sent = context.getSentEvents();
        assertThat(sent.getLast()).isInstanceOf(ReaderEvent.ReaderStarted.class);
        assertThat(sent.stream()
                        .filter(ReaderEvent.Restored.class::isInstance)
                        .map(message ->
                                ((ReaderEvent.Restored) message).splits().size()))
                .hasSizeGreaterThan(1)
                .satisfies(sizes ->
                        assertThat(sizes.stream().mapToInt(i -> i).sum()).isEqualTo(count));
        for (SourceEvent message : sent) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(message);
            }
            assertThat(bytes.size()).isLessThan(1 << 20);
        }
    }

    @Test
    void changes_behind_a_move_in_wait_for_its_own_answer() throws Exception {
        source.partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                .change("p", 1, "A")
                .moves("p", 2, List.of("a"), List.of())
                .moves("p", 2, List.of("b"), List.of())
                .change("p", 3, "A");
        reader.addSplits(List.of(split("p")));
        reader.start();
        MoveIn first = new MoveIn(at(2), List.of(new PartitionToken("a")));
        MoveIn both = new MoveIn(at(2), List.of(new PartitionToken("a"), new PartitionToken("b")));
        poll(() -> context.getSentEvents().contains(new ReaderEvent.MovedIn(new PartitionToken("p"), both)));

        reader.handleSourceEvents(new EnumeratorEvent.Proceed(new PartitionToken("p"), first));
        pollFor(Duration.ofMillis(200));
        assertThat(log.lines).contains("p: A1").doesNotContain("p: A3");
        assertThat(reader.snapshotState(1).getFirst().moveIn()).contains(both);

        reader.handleSourceEvents(new EnumeratorEvent.Proceed(new PartitionToken("p"), both));
        poll(() -> log.lines.contains("p: A3"));
    }

    /** Flink opens an output for each new split. Until that has a watermark, it holds back the whole alignment group. */
    @Test
    void a_split_that_waits_for_a_move_in_at_its_start_has_a_watermark() throws Exception {
        source.partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                .moves("p", 0, List.of("a"), List.of())
                .change("p", 3, "A");
        reader.addSplits(List.of(split("p")));
        reader.start();

        poll(() -> context.getSentEvents().stream().anyMatch(ReaderEvent.MovedIn.class::isInstance));

        assertThat(log.lines).containsExactly("open low watermark", "open p", "p: " + (START.toEpochMilli() - 1));
    }

    @Test
    void the_watermark_of_a_new_split_needs_no_element() throws Exception {
        try (PartitionSourceReader<String> idle = reader(Duration.ofHours(1))) {
            idle.start();
            idle.pollNext(log);

            idle.addSplits(List.of(split("p")));
            assertThat(idle.isAvailable()).isDone();
            idle.pollNext(log);

            assertThat(log.lines).contains("p: " + (START.toEpochMilli() - 1));
        }
    }

    /** The task may handle the answer while the next move-in is read and not emitted. */
    @Test
    void an_answer_does_not_release_a_move_in_that_was_read_after_it() throws Exception {
        source.partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                .moves("p", 2, List.of("a"), List.of())
                .moves("p", 2, List.of("b"), List.of())
                .change("p", 3, "A");
        reader.addSplits(List.of(split("p")));
        reader.start();
        MoveIn first = new MoveIn(at(2), List.of(new PartitionToken("a")));
        await(() -> source.rowsReturned("p") == 3); // all is read, nothing is emitted
        while (!context.getSentEvents().contains(new ReaderEvent.MovedIn(new PartitionToken("p"), first))) {
            reader.pollNext(log);
        }

        reader.handleSourceEvents(new EnumeratorEvent.Proceed(new PartitionToken("p"), first));
        pollFor(Duration.ofMillis(200));

        assertThat(log.lines).doesNotContain("p: A3");
    }

    @Test
    void splits_beyond_the_capacity_are_read_when_others_have_ended() throws Exception {
        source.maxOpenQueries(1)
                .change("p", 3, "A")
                .split("p", 5, "c")
                .change("q", 4, "B")
                .split("q", 5, "d");
        try (PartitionSourceReader<String> small = new PartitionSourceReader<>(
                context, source, EnumeratorStage.options(Ordering.KEY, Optional.empty()), new Labels())) {
            small.addSplits(List.of(split("p"), split("q")));
            small.start();
            await(() -> source.queriesOf("p").size() + source.queriesOf("q").size() > 0);
            TimeUnit.MILLISECONDS.sleep(200);
            assertThat(source.queriesOf("p").size() + source.queriesOf("q").size())
                    .as("queries before an end was emitted")
                    .isEqualTo(1);
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (!log.lines.contains("p: A3") || !log.lines.contains("q: B4")) {
                small.pollNext(log);
                assertThat(System.nanoTime()).as(log.lines.toString()).isLessThan(deadline);
            }
        }
    }

    @Test
    void a_partition_that_waits_for_a_move_in_gives_its_room_to_the_source() throws Exception {
        source.maxOpenQueries(1)
                .partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                .change("p", 1, "A")
                .change("p", 2, "B")
                .moves("p", 2, List.of("a"), List.of())
                .change("p", 3, "A");
        source.change("a", 1, "C").moves("a", 2, List.of(), List.of("p")).endRecord("a", 5);
        try (PartitionSourceReader<String> small = new PartitionSourceReader<>(
                context, source, EnumeratorStage.options(Ordering.KEY, Optional.empty()), new Labels())) {
            small.addSplits(List.of(split("p"), split("a")));
            small.start();
            poll(small, () -> log.lines.contains("p: B2") && log.lines.contains("close a"));
            assertThat(log.lines).contains("a: C1").doesNotContain("p: A3");

            small.handleSourceEvents(new EnumeratorEvent.Proceed(
                    new PartitionToken("p"), new MoveIn(at(2), List.of(new PartitionToken("a")))));
            poll(small, () -> log.lines.contains("p: A3"));
        }
        assertThat(log.lines).containsOnlyOnce("p: A1", "p: B2", "p: A3");
        assertThat(context.getSentEvents())
                .filteredOn(ReaderEvent.MovedIn.class::isInstance)
                .as("the move-in is read twice and reported once")
                .hasSize(1);
    }

    /** A heartbeat at the time of a move-in does not wait for its sources, but it does while the split is paused. */
    @Test
    void a_partition_that_is_paused_at_a_move_in_gives_its_room_to_the_source() throws Exception {
        source.maxOpenQueries(1)
                .partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                .moves("p", 2, List.of("a"), List.of())
                .heartbeat("p", 2)
                .change("p", 3, "A");
        source.change("a", 1, "C").moves("a", 2, List.of(), List.of("p")).endRecord("a", 5);
        try (PartitionSourceReader<String> small = pausedBehindMoveIn(HeartbeatRecord.class::isInstance)) {
            small.handleSourceEvents(new EnumeratorEvent.Proceed(
                    new PartitionToken("p"), new MoveIn(at(2), List.of(new PartitionToken("a")))));
            poll(small, () -> log.lines.contains("p: A3"));
        }
    }

    /** Two partitions that exchange keys wait for each other's move-outs, which follow their move-ins. */
    @Test
    void a_partition_that_was_paused_between_two_moves_of_one_time_emits_the_second() throws Exception {
        source.maxOpenQueries(1)
                .partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                .moves("p", 2, List.of("a"), List.of())
                .moves("p", 2, List.of(), List.of("a"))
                .change("p", 3, "A");
        source.change("a", 1, "C").moves("a", 2, List.of(), List.of("p")).endRecord("a", 5);
        try (PartitionSourceReader<String> small =
                pausedBehindMoveIn(record -> record instanceof PartitionEventRecord event
                        && event.moveOutDestinations().equals(List.of("a")))) {
            poll(
                    small,
                    () -> small.snapshotState(1).stream()
                            .anyMatch(split -> split.token().value().equals("p")
                                    && split.moveOuts().isPresent()));
        }
    }

    /**
     * Returns a reader with room for one. It paused p behind its move-in and in front of that record, and gave its room to a,
     * which ended.
     */
    private PartitionSourceReader<String> pausedBehindMoveIn(Predicate<ChangeRecord> before) throws Exception {
        CountDownLatch paused = new CountDownLatch(1);
        ChangeStreamSource held = new MappedSource(source, record -> {
            if (before.test(record)) {
                paused.await();
            }
            return Optional.of(record);
        });
        PartitionSourceReader<String> small = new PartitionSourceReader<>(
                context, held, EnumeratorStage.options(Ordering.KEY, Optional.empty()), new Labels());
        small.addSplits(List.of(split("p"), split("a")));
        small.start();
        poll(small, () -> context.getSentEvents().stream().anyMatch(ReaderEvent.MovedIn.class::isInstance));
        small.pauseOrResumeSplits(List.of("p"), List.of());
        paused.countDown();
        poll(small, () -> log.lines.contains("close a"));
        small.pauseOrResumeSplits(List.of(), List.of("p"));
        return small;
    }

    @Test
    void a_second_move_to_the_same_partition_behind_a_change_fails_the_job() throws Exception {
        source.partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                .add("p", departure(""))
                .change("p", 2, "A")
                .add("p", departure("3"));
        reader.addSplits(List.of(split("p")));
        reader.start();
        assertThatThrownBy(() -> poll(reader, () -> false))
                .rootCause()
                .hasMessageContaining("moves keys to a partition to which others moved at the same time");
    }

    /** Its sequence is compared as text with that of the change, 00000000. */
    private static PartitionEventRecord departure(String sequence) {
        return new PartitionEventRecord(at(2), "0000000" + sequence, "p", List.of(), List.of("a"));
    }

    @Test
    void splits_that_do_not_end_take_turns() throws Exception {
        source.maxOpenQueries(1)
                .change("p", 3, "A")
                .change("p", 30, "B")
                .change("p", 60, "C")
                .heartbeat("p", 90);
        source.change("q", 4, "D").change("q", 40, "E").heartbeat("q", 90);
        try (PartitionSourceReader<String> small = new PartitionSourceReader<>(
                context, source, EnumeratorStage.options(Ordering.KEY, Optional.empty()), new Labels())) {
            small.addSplits(List.of(split("p"), split("q")));
            small.start();
            poll(small, () -> log.lines.containsAll(List.of("p: C60", "q: E40")));
        }
        assertThat(log.lines).containsOnlyOnce("p: A3", "p: B30", "p: C60", "q: D4", "q: E40");
    }

    @Test
    void a_split_that_is_ahead_is_paused_and_continues() throws Exception {
        source.change("p", 3, "A");
        source.change("q", 4, "D");
        reader.addSplits(List.of(split("p"), split("q")));
        reader.start();
        poll(() -> log.lines.containsAll(List.of("p: A3", "q: D4")));

        reader.pauseOrResumeSplits(List.of("p"), List.of());
        source.change("p", 30, "B").heartbeat("p", 31);
        source.change("q", 8, "E");
        poll(() -> log.lines.contains("q: E8"));
        pollFor(Duration.ofMillis(200));
        assertThat(log.lines).doesNotContain("p: B30");

        reader.pauseOrResumeSplits(List.of(), List.of("p"));
        poll(() -> log.lines.contains("p: B30"));
        assertThat(log.lines).containsOnlyOnce("p: A3", "p: B30", "q: D4", "q: E8");
    }

    @Test
    void a_split_that_was_paused_before_it_is_read_stays_paused() throws Exception {
        source.maxOpenQueries(1).change("p", 3, "A").split("p", 5, "c").change("q", 4, "D");
        try (PartitionSourceReader<String> small = new PartitionSourceReader<>(
                context, source, EnumeratorStage.options(Ordering.KEY, Optional.empty()), new Labels())) {
            small.addSplits(List.of(split("p"), split("q")));
            small.pauseOrResumeSplits(List.of("q"), List.of());
            small.start();
            poll(small, () -> log.lines.contains("close p") && source.rowsReturned("q") > 0);
            pollFor(small, Duration.ofMillis(200));
            assertThat(log.lines).doesNotContain("q: D4");

            small.pauseOrResumeSplits(List.of(), List.of("q"));
            poll(small, () -> log.lines.contains("q: D4"));
        }
    }

    @Test
    void a_split_that_is_paused_gives_its_room_to_others_and_continues() throws Exception {
        source.maxOpenQueries(1);
        source.change("p", 3, "A");
        source.change("q", 4, "D").heartbeat("q", 5);
        try (PartitionSourceReader<String> small = new PartitionSourceReader<>(
                context, source, EnumeratorStage.options(Ordering.KEY, Optional.empty()), new Labels())) {
            small.addSplits(List.of(split("p"), split("q")));
            small.start();
            poll(small, () -> log.lines.contains("p: A3"));

            small.pauseOrResumeSplits(List.of("p"), List.of());
            source.change("p", 7, "B").heartbeat("p", 8); // less than a turn ahead
            poll(small, () -> log.lines.contains("q: D4"));
            assertThat(log.lines).doesNotContain("p: B7");

            small.pauseOrResumeSplits(List.of("q"), List.of("p"));
            source.heartbeat("q", 9);
            poll(small, () -> log.lines.contains("p: B7"));
        }
        assertThat(log.lines).containsOnlyOnce("p: A3", "p: B7", "q: D4");
    }

    @Test
    void a_restored_split_that_gives_its_room_repeats_nothing() throws Exception {
        source.maxOpenQueries(1)
                .partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                .change("p", 2, "B")
                .moves("p", 2, List.of("a"), List.of())
                .change("p", 3, "A");
        source.change("a", 1, "C").endRecord("a", 5);
        reader.addSplits(List.of(split("p")));
        reader.start();
        poll(() -> context.getSentEvents().stream().anyMatch(ReaderEvent.MovedIn.class::isInstance));
        PartitionSplit stored = reader.snapshotState(1).getFirst();
        PartitionSplit later = new PartitionSplit(new PartitionToken("a"), new PartitionToken("a"), at(2));
        try (PartitionSourceReader<String> restored = new PartitionSourceReader<>(
                context, source, EnumeratorStage.options(Ordering.KEY, Optional.empty()), new Labels())) {
            restored.addSplits(List.of(stored, later));
            restored.start();
            poll(restored, () -> log.lines.contains("close a"));
            restored.handleSourceEvents(new EnumeratorEvent.Proceed(
                    new PartitionToken("p"), new MoveIn(at(2), List.of(new PartitionToken("a")))));
            poll(restored, () -> log.lines.contains("p: A3"));
        }
        assertThat(log.lines).containsOnlyOnce("p: B2", "p: A3");
    }

    @Test
    void a_continued_split_that_gives_its_room_does_not_repeat_what_was_settled_before_it() throws Exception {
        source.maxOpenQueries(1)
                .partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                .change("p", 2, "A")
                .moves("p", 2, List.of("a"), List.of())
                .change("p", 3, "A");
        source.change("a", 1, "C").endRecord("a", 5);
        PartitionSplit continued = new PartitionSplit(
                new PartitionToken("p"),
                new PartitionToken("p"),
                START,
                at(2),
                Set.of(),
                Optional.of(new MoveOuts("00000001", List.of(new PartitionToken("x")))),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                List.of());
        PartitionSplit later = new PartitionSplit(new PartitionToken("a"), new PartitionToken("a"), at(3));
        try (PartitionSourceReader<String> small = new PartitionSourceReader<>(
                context, source, EnumeratorStage.options(Ordering.KEY, Optional.empty()), new Labels())) {
            small.addSplits(List.of(continued, later));
            small.start();
            poll(small, () -> log.lines.contains("close a"));
            small.handleSourceEvents(new EnumeratorEvent.Proceed(
                    new PartitionToken("p"), new MoveIn(at(2), List.of(new PartitionToken("a")))));
            poll(small, () -> log.lines.contains("p: A3"));
        }
        assertThat(source.queriesOf("p")).as("it has given its room").hasSizeGreaterThan(1);
        assertThat(log.lines).doesNotContain("p: A2");
    }

    @Test
    void a_partition_that_ended_behind_a_move_in_gives_its_room_to_the_source() throws Exception {
        source.maxOpenQueries(1)
                .partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                .moves("p", 2, List.of("a"), List.of())
                .endRecord("p", 2);
        source.change("a", 1, "C");
        try (PartitionSourceReader<String> small = new PartitionSourceReader<>(
                context, source, EnumeratorStage.options(Ordering.KEY, Optional.empty()), new Labels())) {
            small.addSplits(List.of(split("p"), split("a")));
            small.start();
            poll(small, () -> log.lines.contains("a: C1"));
            small.handleSourceEvents(new EnumeratorEvent.Proceed(
                    new PartitionToken("p"), new MoveIn(at(2), List.of(new PartitionToken("a")))));
            poll(small, () -> log.lines.contains("close p"));
        }
    }

    @Test
    void changes_before_a_stored_move_out_were_settled_by_others_and_are_not_repeated() throws Exception {
        source.partitionMode(PartitionMode.MUTABLE_KEY_RANGE)
                .change("p", 2, "A")
                .change("p", 3, "A");
        MoveOuts settled = new MoveOuts("00000001", List.of(new PartitionToken("x")));
        reader.addSplits(List.of(new PartitionSplit(
                new PartitionToken("p"),
                new PartitionToken("p"),
                START,
                at(2),
                Set.of(),
                Optional.of(settled),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                List.of())));
        reader.start();
        poll(() -> log.lines.contains("p: A3"));
        assertThat(log.lines).doesNotContain("p: A2");
    }

    private static PartitionSplit split(String token) {
        return new PartitionSplit(new PartitionToken(token), new PartitionToken(token), START);
    }

    private void poll(BooleanSupplier until) throws Exception {
        poll(reader, until);
    }

    private void poll(PartitionSourceReader<String> polled, BooleanSupplier until) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!until.getAsBoolean()) {
            polled.pollNext(log);
            assertThat(System.nanoTime()).as(log.lines.toString()).isLessThan(deadline);
        }
    }

    private void pollFor(Duration time) throws Exception {
        pollFor(reader, time);
    }

    private void pollFor(PartitionSourceReader<String> polled, Duration time) throws Exception {
        long until = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < until) {
            polled.pollNext(log);
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(1);
            assertThat(System.nanoTime()).isLessThan(deadline);
        }
    }

    /** The elements that a reader emits, and the outputs that it opens and closes, in order. */
    private static final class Log implements ReaderOutput<String> {
        private final List<String> lines = new ArrayList<>();

        @Override
        public SourceOutput<String> createOutputForSplit(String split) {
            lines.add("open " + split);
            return new SourceOutput<>() {
                @Override
                public void collect(String element) {
                    throw new IllegalStateException("an element without a timestamp: " + element);
                }

                @Override
                public void collect(String element, long timestamp) {
                    lines.add(split + ": " + element);
                }

                @Override
                public void emitWatermark(Watermark watermark) {
                    lines.add(split + ": " + watermark.getTimestamp());
                }

                @Override
                public void markIdle() {}

                @Override
                public void markActive() {}
            };
        }

        @Override
        public void releaseOutputForSplit(String split) {
            lines.add("close " + split);
        }

        @Override
        public void collect(String element) {
            throw new IllegalStateException("an element without a split: " + element);
        }

        @Override
        public void collect(String element, long timestamp) {
            collect(element);
        }

        @Override
        public void emitWatermark(Watermark watermark) {
            throw new IllegalStateException("a watermark without a split: " + watermark);
        }

        @Override
        public void markIdle() {}

        @Override
        public void markActive() {}
    }

    /** The key and the second of a change. */
    private static final class Labels implements ChangeDeserializationSchema<String> {
        private static final long serialVersionUID = 1;

        @Override
        public void deserialize(DataChangeRecord change, Collector<String> out) {
            String key = change.mods().getFirst().keys().string("Id").orElseThrow();
            out.collect(key + Duration.between(START, change.commitTimestamp()).toSeconds());
        }

        @Override
        public TypeInformation<String> getProducedType() {
            return Types.STRING;
        }
    }
}
