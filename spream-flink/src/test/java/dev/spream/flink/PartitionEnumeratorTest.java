package dev.spream.flink;

import static dev.spream.flink.EnumeratorStage.child;
import static dev.spream.flink.EnumeratorStage.children;
import static dev.spream.flink.EnumeratorStage.options;
import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.spream.core.consume.Ordering;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.RecordIdentity;
import dev.spream.testkit.LogLines;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.flink.util.FlinkRuntimeException;
import org.junit.jupiter.api.Test;

/** Tests of the enumerator against readers that the tests play. */
final class PartitionEnumeratorTest {
    private static PartitionSplit split(String token, long second) {
        return new PartitionSplit(
                new PartitionToken(token),
                new PartitionToken(token),
                START,
                at(second),
                Set.of(),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                List.of());
    }

    @Test
    void a_job_begins_with_the_initial_query_once_all_readers_have_started() {
        EnumeratorStage stage =
                new EnumeratorStage(2, new ScriptedSource(), options(Ordering.KEY, Optional.empty()), null);
        stage.started(0);
        assertThat(stage.given(0)).isEmpty();
        stage.started(1);
        assertThat(stage.splitsOf(0))
                .containsExactly(new PartitionSplit(PartitionToken.ROOT, PartitionToken.ROOT, START));
    }

    @Test
    void a_reader_that_does_not_start_is_waited_for_no_longer_than_a_few_seconds() {
        EnumeratorStage stage =
                new EnumeratorStage(2, new ScriptedSource(), options(Ordering.KEY, Optional.empty()), null);
        stage.started(1);
        stage.pass(Duration.ofSeconds(6));
        assertThat(stage.given(1)).containsExactly("Parent0");
    }

    @Test
    void a_job_begins_now_at_the_time_of_the_server() {
        Instant now = Instant.parse("2026-05-05T05:05:05.123456789Z");
        try (LogLines lines = new LogLines(JobStart.class)) {
            EnumeratorStage stage = new EnumeratorStage(
                    1,
                    new ScriptedSource().serverTime(now),
                    EnumeratorStage.options(Ordering.KEY, Optional.empty(), Optional.empty()),
                    null);
            stage.started(0);
            assertThat(stage.splitsOf(0)).extracting(PartitionSplit::position).containsExactly(now);
            assertThat(lines.all(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains("the job begins at " + now, "Set startAt (scan.startup.timestamp in SQL)");
        }
    }

    @Test
    void a_server_that_cannot_be_reached_is_asked_again() {
        ScriptedSource source = new ScriptedSource().failServerTime(1);
        EnumeratorStage stage = new EnumeratorStage(
                1, source, EnumeratorStage.options(Ordering.KEY, Optional.empty(), Optional.empty()), null);
        stage.started(0);
        assertThat(stage.given(0)).isEmpty();
        stage.pass(Duration.ofSeconds(2));
        stage.run();
        assertThat(stage.given(0)).containsExactly("Parent0");
    }

    @Test
    void a_job_without_checkpoints_fails_when_partitions_would_wait_for_ever() {
        EnumeratorStage stage = mergedByTwoReaders(options(Ordering.KEY, Optional.empty()));
        stage.pass(Duration.ofMinutes(59));
        assertThatThrownBy(() -> stage.pass(Duration.ofMinutes(2)))
                .isInstanceOf(FlinkRuntimeException.class)
                .hasStackTraceContaining("1 partitions wait for a checkpoint, and none was started within 1 h");
    }

    @Test
    void a_job_with_a_long_interval_of_checkpoints_waits_for_the_first() {
        EnumeratorStage stage =
                mergedByTwoReaders(options(Ordering.KEY, Optional.empty()).withCheckpointInterval(Duration.ofHours(3)));
        stage.pass(Duration.ofMinutes(359));
        stage.checkpoint(7);
        stage.complete(7);
        assertThat(stage.given(0)).containsExactly("m");
    }

    @Test
    void a_job_whose_checkpoints_take_long_waits_for_them() {
        EnumeratorStage stage = mergedByTwoReaders(options(Ordering.KEY, Optional.empty()));
        stage.checkpoint(7);
        stage.pass(Duration.ofMinutes(122));
        assertThat(stage.given(0)).isEmpty();
        stage.complete(7);
        assertThat(stage.given(0)).containsExactly("m");
    }

    /** Returns a stage at which m waits for the checkpoint that holds the ends of its parents. */
    private static EnumeratorStage mergedByTwoReaders(ReadOptions options) {
        EnumeratorStage stage = new EnumeratorStage(2, new ScriptedSource(), options, null);
        stage.started(0);
        stage.started(1);
        stage.found(0, "Parent0", 0, child(List.of(), "a", "b"));
        stage.ended(0, "Parent0", 0, "a", "b");
        assertThat(stage.given(1)).containsExactly("a");
        assertThat(stage.given(0)).containsExactly("Parent0", "b");
        stage.found(1, "a", 5, child(List.of("a", "b"), "m"));
        stage.ended(1, "a", 5, "m");
        stage.ended(0, "b", 5, "m");
        return stage;
    }

    @Test
    void a_partition_that_waits_for_a_move_in_takes_no_room_from_its_source() {
        EnumeratorStage stage =
                new EnumeratorStage(1, new ScriptedSource(), options(Ordering.KEY, Optional.empty()), null);
        stage.startedWithRoom(0, 1);
        stage.roots("a", "b", "c");
        assertThat(stage.given(0)).containsExactly("a");
        stage.movedIn(0, "a", 5, "b");
        assertThat(stage.given(0)).containsExactly("b");
        stage.movedOut(0, "b", 5, "a");
        assertThat(stage.given(0)).as("both are read again").isEmpty();
    }

    @Test
    void children_of_the_initial_query_are_shared_evenly_the_oldest_first() {
        EnumeratorStage stage = EnumeratorStage.begin(2);
        stage.send(
                0,
                new ReaderEvent.ChildrenFound(PartitionToken.ROOT, children(2, child(List.of(), "c", "d"))),
                new ReaderEvent.ChildrenFound(PartitionToken.ROOT, children(1, child(List.of(), "a", "b"))));
        assertThat(stage.given(0)).containsExactly("Parent0", "b", "d");
        assertThat(stage.given(1)).containsExactly("a", "c");
    }

    @Test
    void a_reader_gets_no_more_partitions_than_it_can_read_while_others_end() {
        EnumeratorStage stage =
                new EnumeratorStage(2, new ScriptedSource(), options(Ordering.KEY, Optional.empty()), null);
        stage.startedWithRoom(0, 1);
        stage.startedWithRoom(1, 2);
        stage.found(0, "Parent0", 0, child(List.of(), "a", "b", "c"));
        assertThat(stage.given(0)).containsExactly("Parent0");
        assertThat(stage.given(1)).containsExactly("a", "b");
        stage.pass(Duration.ofSeconds(5));
        stage.ended(0, "Parent0", 0, "a", "b", "c");
        assertThat(stage.given(0)).containsExactly("c");
    }

    @Test
    void partitions_beyond_the_room_of_all_readers_are_given_to_the_one_with_the_fewest() {
        EnumeratorStage stage =
                new EnumeratorStage(2, new ScriptedSource(), options(Ordering.KEY, Optional.empty()), null);
        stage.startedWithRoom(0, 1);
        stage.startedWithRoom(1, 2);
        stage.roots("a", "b", "c", "d");
        assertThat(stage.given(0)).containsExactly("a");
        assertThat(stage.given(1)).containsExactly("b", "c");
        stage.pass(Duration.ofSeconds(9));
        assertThat(stage.given(0)).isEmpty();

        stage.pass(Duration.ofSeconds(2));

        assertThat(stage.given(0)).containsExactly("d");
        stage.split(1, "b", 5, "e", "f");
        assertThat(stage.given(1)).as("it has room for one").containsExactly("e");
        stage.pass(Duration.ofSeconds(9));
        assertThat(stage.given(0)).isEmpty();
        try (LogLines lines = new LogLines(DelayWarnings.class)) {
            stage.pass(Duration.ofSeconds(61));
            stage.pass(Duration.ofSeconds(30));
            assertThat(lines.all(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains("2 partitions more than the readers can read", "take turns", "Raise");
        }
        assertThat(stage.given(1)).as("only its own reader may read it yet").containsExactly("f");
    }

    @Test
    void partitions_wait_for_a_reader_that_restarts_and_are_not_crowded_meanwhile() {
        EnumeratorStage stage =
                new EnumeratorStage(2, new ScriptedSource(), options(Ordering.KEY, Optional.empty()), null);
        stage.startedWithRoom(0, 1);
        stage.startedWithRoom(1, 1);
        stage.roots("a", "b");
        stage.given(0);
        stage.failed(1, stage.splitsOf(1).getFirst());
        stage.pass(Duration.ofSeconds(20));
        assertThat(stage.given(0)).isEmpty();
        stage.startedWithRoom(1, 1);
        assertThat(stage.given(1)).containsExactly("b");
    }

    @Test
    void children_are_acknowledged_and_found_again_without_effect() {
        EnumeratorStage stage = EnumeratorStage.begin(1);
        stage.found(0, "Parent0", 0, child(List.of(), "a"));
        stage.found(0, "Parent0", 0, child(List.of(), "a"));
        assertThat(stage.given(0)).containsExactly("Parent0", "a");
        var stored = new EnumeratorEvent.ChildrenStored(PartitionToken.ROOT, children(0, child(List.of(), "a")));
        assertThat(stage.messagesTo(0, EnumeratorEvent.ChildrenStored.class)).containsExactly(stored, stored);
    }

    @Test
    void children_are_read_ahead_by_the_reader_that_emitted_their_parent() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b");
        assertThat(stage.given(0)).containsExactly("a");
        assertThat(stage.given(1)).containsExactly("b");
        stage.found(1, "b", 5, child(List.of("b"), "b1", "b2"));
        assertThat(stage.given(1)).isEmpty();
        stage.ended(1, "b", 5, "b1", "b2");
        assertThat(stage.given(1)).containsExactly("b1", "b2");
        assertThat(stage.given(0)).isEmpty();
        assertThat(stage.messagesTo(1)).contains(new EnumeratorEvent.EndStored(new PartitionToken("b")));
    }

    @Test
    void a_merge_of_parents_of_two_readers_waits_for_the_checkpoint_that_holds_both_ends() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b");
        stage.given(0);
        stage.given(1);
        stage.found(0, "a", 5, child(List.of("a", "b"), "m"));
        stage.ended(0, "a", 5, "m");
        stage.checkpoint(2);
        stage.found(1, "b", 5, child(List.of("a", "b"), "m"));
        stage.ended(1, "b", 5, "m");
        stage.complete(2);
        stage.checkpoint(3);
        assertThat(stage.given(0)).isEmpty();
        assertThat(stage.given(1)).containsExactly("m"); // a is settled, b was emitted there

        EnumeratorStage other = EnumeratorStage.begin(2).roots("a", "b");
        other.given(0);
        other.given(1);
        other.found(0, "a", 5, child(List.of("a", "b"), "m"));
        other.ended(0, "a", 5, "m");
        other.found(1, "b", 5, child(List.of("a", "b"), "m"));
        other.ended(1, "b", 5, "m");
        other.pass(Duration.ofSeconds(1));
        assertThat(other.given(0)).isEmpty();
        assertThat(other.given(1)).isEmpty();
        other.checkpoint(2);
        assertThat(other.given(0)).isEmpty();
        other.complete(2);
        assertThat(other.given(0)).containsExactly("m");
        assertThat(other.given(1)).isEmpty();
    }

    @Test
    void a_checkpoint_that_is_aborted_settles_nothing() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b");
        stage.given(0);
        stage.given(1);
        stage.found(0, "a", 5, child(List.of("a", "b"), "m"));
        stage.ended(0, "a", 5, "m");
        stage.found(1, "b", 5, child(List.of("a", "b"), "m"));
        stage.ended(1, "b", 5, "m");
        stage.checkpoint(2);
        stage.enumerator.notifyCheckpointAborted(2);
        stage.run();
        stage.complete(2);
        assertThat(stage.given(0)).isEmpty();
        assertThat(stage.given(1)).isEmpty();
    }

    @Test
    void without_an_order_of_keys_children_start_at_once_anywhere() {
        EnumeratorStage stage = EnumeratorStage.begin(2, options(Ordering.NONE, Optional.empty()));
        stage.roots("a", "b");
        stage.given(0);
        stage.given(1);
        stage.found(0, "a", 5, child(List.of("a", "b"), "m"));
        stage.ended(0, "a", 5, "m");
        stage.found(1, "b", 5, child(List.of("a", "b"), "m"));
        stage.ended(1, "b", 5, "m");
        assertThat(stage.given(0)).containsExactly("m");
        stage.movedIn(0, "m", 6, "x");
        assertThat(stage.messagesTo(0, EnumeratorEvent.Proceed.class)).hasSize(1);
    }

    @Test
    void the_low_watermark_passes_no_child_that_is_not_assigned() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b");
        stage.found(0, "a", 5, child(List.of("a", "b"), "m"));
        stage.ended(0, "a", 5, "m");
        stage.progressed(1, "b", 4);
        stage.run();
        assertThat(stage.messagesTo(0, EnumeratorEvent.LowWatermark.class))
                .last()
                .isEqualTo(new EnumeratorEvent.LowWatermark(at(4)));
        stage.progressed(1, "b", 5);
        stage.found(1, "b", 5, child(List.of("a", "b"), "m"));
        stage.ended(1, "b", 5, "m");
        stage.run();
        assertThat(stage.messagesTo(1, EnumeratorEvent.LowWatermark.class))
                .last()
                .isEqualTo(new EnumeratorEvent.LowWatermark(at(5)));
        stage.checkpoint(2);
        stage.complete(2);
        assertThat(stage.given(0)).contains("m");
        stage.progressed(0, "m", 9);
        stage.run();
        assertThat(stage.messagesTo(1, EnumeratorEvent.LowWatermark.class))
                .containsExactly(new EnumeratorEvent.LowWatermark(at(9)));
    }

    @Test
    void a_restored_job_has_settled_what_its_checkpoint_covers() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b");
        stage.found(0, "a", 5, child(List.of("a", "b"), "m"));
        stage.ended(0, "a", 5, "m");
        stage.found(1, "b", 5, child(List.of("a", "b"), "m"));
        stage.ended(1, "b", 5, "m");
        EnumeratorState state = stage.checkpoint(2);

        EnumeratorStage restored = EnumeratorStage.restore(1, state);
        restored.started(0);
        assertThat(restored.given(0)).containsExactly("m");
        assertThat(restored.checkpoint(3).partitions()).hasSize(3); // a and b until m is finished
    }

    @Test
    void a_restored_reader_repeats_what_was_not_acknowledged() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b");
        EnumeratorState state = stage.checkpoint(2); // before what the readers find until their barriers

        EnumeratorStage restored = EnumeratorStage.restore(2, state);
        PartitionSplit a = new PartitionSplit(
                new PartitionToken("a"),
                new PartitionToken("a"),
                START,
                at(5),
                Set.of(),
                Optional.empty(),
                Optional.empty(),
                List.of(children(5, child(List.of("a"), "a1", "a2"))),
                Optional.of(PartitionEnd.childPartitions(at(5), EnumeratorStage.tokens("a1", "a2"))),
                List.of());
        restored.started(1, a);
        assertThat(restored.messagesTo(1))
                .contains(
                        new EnumeratorEvent.EndStored(new PartitionToken("a")),
                        new EnumeratorEvent.ChildrenStored(
                                new PartitionToken("a"), children(5, child(List.of("a"), "a1", "a2"))));
        restored.started(0, split("b", 3));
        assertThat(restored.given(0)).containsExactly("a2"); // b is there
        assertThat(restored.given(1)).containsExactly("a1");
        restored.progressed(0, "b", 8);
        restored.run();
        assertThat(restored.messagesTo(1, EnumeratorEvent.LowWatermark.class))
                .last()
                .isEqualTo(new EnumeratorEvent.LowWatermark(at(5)));
    }

    @Test
    void partitions_of_a_checkpoint_are_not_assigned_before_their_readers_have_started() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b");
        EnumeratorStage restored = EnumeratorStage.restore(2, stage.checkpoint(2));
        restored.started(0);
        restored.started(1, split("a", 1), split("b", 1));
        assertThat(restored.given(0)).isEmpty();
        assertThat(restored.given(1)).isEmpty();
    }

    @Test
    void the_splits_of_a_failed_reader_are_assigned_again_as_they_were() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b");
        PartitionSplit a = stage.splitsOf(0).getFirst();
        stage.progressed(0, "a", 7);
        stage.failed(0, a);
        assertThat(stage.splitsOf(1)).extracting(PartitionSplit::splitId).containsExactly("b", "a");
        stage.started(0);
        stage.run();
        assertThat(stage.messagesTo(1, EnumeratorEvent.LowWatermark.class))
                .last()
                .isEqualTo(new EnumeratorEvent.LowWatermark(at(0)));
    }

    @Test
    void a_returned_split_keeps_its_position_and_survives_a_checkpoint() {
        EnumeratorStage stage = EnumeratorStage.begin(1).roots("a");
        stage.given(0);
        PartitionSplit a = new PartitionSplit(
                new PartitionToken("a"),
                new PartitionToken("a"),
                START,
                at(3),
                Set.of(new RecordIdentity(at(3), "tx", "1")),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                List.of());
        stage.failed(0, a);
        EnumeratorStage restored = EnumeratorStage.restore(1, stage.checkpoint(2));
        restored.started(0);
        assertThat(restored.splitsOf(0)).containsExactly(a);
        stage.started(0);
        assertThat(stage.splitsOf(0)).containsExactly(a);
    }

    @Test
    void a_failed_reader_has_emitted_nothing_since_the_last_checkpoint() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b");
        stage.given(0);
        stage.given(1);
        stage.checkpoint(2);
        stage.complete(2);
        stage.split(0, "a", 5, "a1", "a2");
        List<PartitionSplit> ahead = stage.splitsOf(0);
        assertThat(ahead).hasSize(2);
        stage.failed(0, ahead.toArray(PartitionSplit[]::new));
        assertThat(stage.given(1)).isEmpty(); // their parent is read again
        stage.started(0, split("a", 2));
        assertThat(stage.given(0)).isEmpty();
        stage.split(0, "a", 5, "a1", "a2");
        assertThat(stage.given(0)).containsExactly("a1", "a2");
    }

    @Test
    void an_end_that_the_failed_readers_checkpoint_covers_is_settled_even_if_that_is_reported_later() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b");
        stage.given(0);
        stage.given(1);
        stage.split(0, "a", 5, "a1");
        PartitionSplit ahead = stage.splitsOf(0).getFirst();
        stage.checkpoint(2);
        stage.failed(0, ahead);
        stage.complete(2);
        assertThat(stage.splitsOf(1)).containsExactly(ahead);
    }

    @Test
    void a_message_about_a_partition_of_another_reader_is_not_answered() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b");
        stage.messagesTo(1);
        stage.ended(1, "a", 5, "x");
        assertThat(stage.messagesTo(1, EnumeratorEvent.EndStored.class)).isEmpty();
        assertThat(stage.given(1)).containsExactly("b");
    }

    @Test
    void a_move_in_waits_until_its_source_has_settled_the_move_out() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b");
        stage.movedIn(0, "a", 5, "b");
        stage.movedOut(1, "b", 5, "a");
        assertThat(stage.messagesTo(0, EnumeratorEvent.Proceed.class)).isEmpty();
        stage.checkpoint(2);
        stage.complete(2);
        assertThat(stage.messagesTo(0, EnumeratorEvent.Proceed.class))
                .containsExactly(new EnumeratorEvent.Proceed(
                        new PartitionToken("a"), new MoveIn(at(5), EnumeratorStage.tokens("b"))));
    }

    @Test
    void a_move_in_from_a_partition_of_the_same_reader_waits_for_no_checkpoint() {
        EnumeratorStage stage = EnumeratorStage.begin(1).roots("a", "b");
        stage.movedIn(0, "a", 5, "b");
        stage.progressed(0, "b", 5);
        assertThat(stage.messagesTo(0, EnumeratorEvent.Proceed.class)).isEmpty();
        stage.movedOut(0, "b", 5, "a");
        assertThat(stage.messagesTo(0, EnumeratorEvent.Proceed.class)).hasSize(1);
    }

    @Test
    void a_move_in_from_a_partition_that_lost_the_move_in_a_gap_waits_for_all_others() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b", "c");
        assertThat(stage.given(0)).containsExactly("a", "c");
        PartitionGap gap = new PartitionGap(at(2), at(6));
        stage.send(
                0,
                new ReaderEvent.Progress(
                        List.of(new SplitProgress(new PartitionToken("c"), at(8), Optional.empty(), List.of(gap)))));
        stage.checkpoint(2);
        stage.complete(2);
        stage.movedIn(0, "a", 5, "c");
        stage.progressed(1, "b", 4); // its keys may have come to a by way of c
        stage.checkpoint(3);
        stage.complete(3);
        assertThat(stage.messagesTo(0, EnumeratorEvent.Proceed.class)).isEmpty();
        stage.progressed(1, "b", 5);
        stage.checkpoint(4);
        stage.complete(4);
        assertThat(stage.messagesTo(0, EnumeratorEvent.Proceed.class)).hasSize(1);
    }

    @Test
    void two_partitions_that_exchange_keys_do_not_wait_for_each_other() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b");
        stage.movedIn(0, "a", 5, "b");
        stage.movedIn(1, "b", 5, "a");
        stage.movedOut(0, "a", 5, "b");
        stage.movedOut(1, "b", 5, "a");
        EnumeratorState state = stage.checkpoint(2);
        stage.complete(2);
        assertThat(stage.messagesTo(0, EnumeratorEvent.Proceed.class)).hasSize(1);
        assertThat(stage.messagesTo(1, EnumeratorEvent.Proceed.class)).hasSize(1);

        EnumeratorStage restored = EnumeratorStage.restore(1, state);
        MoveIn fromB = new MoveIn(at(5), EnumeratorStage.tokens("b"));
        restored.started(
                0,
                new PartitionSplit(
                        new PartitionToken("a"),
                        new PartitionToken("a"),
                        START,
                        at(5),
                        Set.of(),
                        Optional.empty(),
                        Optional.of(fromB),
                        List.of(),
                        Optional.empty(),
                        List.of()),
                split("b", 5));
        assertThat(restored.messagesTo(0, EnumeratorEvent.Proceed.class))
                .containsExactly(new EnumeratorEvent.Proceed(new PartitionToken("a"), fromB));
    }

    @Test
    void later_move_ins_wait_behind_earlier_ones() {
        EnumeratorStage stage = EnumeratorStage.begin(1).roots("a", "b", "c");
        stage.movedIn(0, "a", 5, "b");
        stage.movedIn(0, "a", 6, "c");
        stage.progressed(0, "c", 8);
        assertThat(stage.messagesTo(0, EnumeratorEvent.Proceed.class)).isEmpty();
        stage.progressed(0, "b", 8);
        assertThat(stage.messagesTo(0, EnumeratorEvent.Proceed.class))
                .extracting(proceed -> proceed.moveIn().timestamp())
                .containsExactly(at(5), at(6));
    }

    @Test
    void a_gap_is_stored_before_the_position_behind_it() {
        EnumeratorStage stage = EnumeratorStage.begin(1).roots("a");
        PartitionGap gap = new PartitionGap(at(2), at(6));
        stage.send(
                0,
                new ReaderEvent.Progress(
                        List.of(new SplitProgress(new PartitionToken("a"), at(8), Optional.empty(), List.of(gap)))));
        EnumeratorState covered = stage.checkpoint(2);
        stage.complete(2);
        assertThat(List.of(covered, stage.checkpoint(3)))
                .allSatisfy(state -> assertThat(state.partitions())
                        .filteredOn(partition -> partition.token().value().equals("a"))
                        .singleElement()
                        .satisfies(partition -> {
                            assertThat(partition.watermark()).isEqualTo(at(8));
                            assertThat(partition.gaps()).containsExactly(gap);
                        }));
    }

    @Test
    void a_bounded_job_ends_when_every_partition_was_read_to_its_end() {
        Instant end = at(60);
        EnumeratorStage stage = EnumeratorStage.begin(2, options(Ordering.KEY, Optional.of(end)));
        stage.roots("a", "b");
        stage.send(0, new ReaderEvent.ReadToEnd(EnumeratorStage.progress("a", 60), PartitionEnd.boundedEnd(end)));
        assertThat(stage.isEnded(0)).isFalse();
        EnumeratorState state = stage.checkpoint(2);
        stage.send(1, new ReaderEvent.ReadToEnd(EnumeratorStage.progress("b", 60), PartitionEnd.boundedEnd(end)));
        assertThat(stage.isEnded(0)).isTrue();
        assertThat(stage.isEnded(1)).isTrue();

        EnumeratorStage restored = EnumeratorStage.restore(1, state, options(Ordering.KEY, Optional.of(end)));
        restored.started(0, split("b", 60));
        assertThat(restored.isEnded(0)).isFalse();
        restored.send(0, new ReaderEvent.ReadToEnd(EnumeratorStage.progress("b", 60), PartitionEnd.boundedEnd(end)));
        assertThat(restored.isEnded(0)).isTrue();
    }

    @Test
    void a_state_of_another_stream_start_or_end_is_refused_with_both() {
        EnumeratorState state = EnumeratorStage.begin(1).roots("a").checkpoint(2);
        ReadOptions other = EnumeratorStage.options(Ordering.KEY, Optional.of(at(9)), Optional.of(at(99)));
        assertThatThrownBy(() -> EnumeratorStage.restore(1, state, other))
                .isInstanceOf(FlinkRuntimeException.class)
                .hasMessageContaining("start is %s, requested is %s".formatted(START, at(9)))
                .hasMessageContaining("end is none, requested is " + at(99));
    }

    @Test
    void missing_checkpoints_are_reported_once_a_minute() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b");
        stage.found(0, "a", 5, child(List.of("a", "b"), "m"));
        stage.ended(0, "a", 5, "m");
        stage.found(1, "b", 5, child(List.of("a", "b"), "m"));
        stage.ended(1, "b", 5, "m");
        try (LogLines lines = new LogLines(DelayWarnings.class)) {
            stage.pass(Duration.ofSeconds(50));
            assertThat(lines.all(Level.WARN)).isEmpty();
            stage.pass(Duration.ofSeconds(11));
            stage.pass(Duration.ofSeconds(30));
            assertThat(lines.all(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains("1 partitions wait for a checkpoint", "execution.checkpointing.interval");
            stage.pass(Duration.ofSeconds(40));
            assertThat(lines.all(Level.WARN)).hasSize(2);
        }
    }

    @Test
    void finished_partitions_leave_the_state() {
        EnumeratorStage stage = EnumeratorStage.begin(1).roots("p0");
        for (int i = 0; i < 100; i++) {
            stage.split(0, "p" + i, i + 1, "p" + (i + 1));
            stage.checkpoint(i + 2);
            stage.complete(i + 2);
        }
        EnumeratorState state = stage.checkpoint(1000);
        assertThat(state.partitions()).hasSizeLessThan(4);
        assertThat(state.finished()).hasSizeLessThan(4);
    }
}
