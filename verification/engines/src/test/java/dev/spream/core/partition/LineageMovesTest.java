package dev.spream.core.partition;

import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static dev.spream.testkit.partition.StorageScenario.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.testkit.partition.StorageScenario;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The gate over move-ins and move-outs: the sources that a partition waits for. */
final class LineageMovesTest {
    private static final Instant MOVE = at(5);
    private static final Set<PartitionState> UNFINISHED = EnumSet.complementOf(EnumSet.of(PartitionState.FINISHED));

    @ParameterizedTest
    @CsvSource(nullValues = "none", delimiter = '|', textBlock = """
            # nanoseconds from the move | destinations of the source | awaited
            -1000000000 | none            | true
            -1          | none            | true
            -1          | another         | true
            -1          | waiting         | true
            -1          | another,waiting | true
            0           | none            | true
            0           | another         | true
            0           | waiting         | false
            0           | another,waiting | false
            1           | none            | false
            1           | another         | false
            1           | waiting         | false
            1           | another,waiting | false
            1000000000  | none            | false
            """)
    void a_source_is_awaited_until_it_settled_everything_before_its_move_out(
            long nanos, String destinations, boolean awaited) {
        PartitionMetadata waiting = waiting(MOVE, "source");
        for (PartitionState state : PartitionState.values()) {
            Row source = new Row("source", state, MOVE.plusNanos(nanos));
            if (destinations != null) {
                source = source.moveOuts(destinations.split(","));
            }
            boolean expected = awaited && state != PartitionState.FINISHED;
            for (boolean held : List.of(false, true)) {
                Lineage lineage = lineage(source.held(held).stored(), waiting);
                assertThat(lineage.awaitedSources(waiting))
                        .as("%s, held: %s", source, held)
                        .isEqualTo(expected ? tokens("source") : tokens());
                assertThat(isClaimable(lineage, waiting)).isEqualTo(!expected);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"-1000000000, true", "-1, true", "0, false", "1, false"})
    void a_source_that_is_not_stored_is_awaited_while_another_partition_may_name_it(long nanos, boolean awaited) {
        PartitionMetadata waiting = waiting(MOVE, "not stored");
        for (PartitionState state : PartitionState.values()) {
            PartitionMetadata other = new Row("other", state, MOVE.plusNanos(nanos)).stored();
            boolean expected = awaited && state != PartitionState.FINISHED;
            Lineage lineage = lineage(other, new Row("later", PartitionState.RUNNING, at(9)).stored(), waiting);
            assertThat(lineage.awaitedSources(waiting))
                    .as("%s at %d ns", state, nanos)
                    .isEqualTo(expected ? tokens("not stored") : tokens());
            assertThat(isClaimable(lineage, waiting)).isEqualTo(!expected);
        }
    }

    @Test
    void a_partition_that_waits_for_sources_alone_may_be_read_ahead_of_them() {
        PartitionMetadata source = running("source", 1);
        PartitionMetadata waiting = waiting(MOVE, "source");
        assertThat(lineage(source, waiting).waitingForSources()).containsExactly(waiting);
        assertThat(lineage(new Row("source", PartitionState.FINISHED, at(9)).stored(), waiting)
                        .waitingForSources())
                .isEmpty();
        PartitionMetadata held = new Row("waiting", PartitionState.RUNNING, MOVE)
                .moveIn(MOVE, "source")
                .held(true)
                .stored();
        assertThat(lineage(source, held).waitingForSources()).isEmpty();
    }

    @Test
    void the_waiting_partition_itself_does_not_name_its_source() {
        PartitionMetadata waiting = waiting(at(1), "not stored");
        assertThat(lineage(waiting).awaitedSources(waiting)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"-1, true", "0, true", "1, false", "1000000000, false"})
    void a_partition_waits_until_its_own_watermark_is_later_than_the_move(long nanos, boolean waits) {
        PartitionMetadata source = running("source", 1);
        PartitionMetadata waiting = waiting(MOVE.plusNanos(nanos), "source");
        Lineage lineage = lineage(source, waiting);
        assertThat(lineage.awaitedSources(waiting)).isEqualTo(waits ? tokens("source") : tokens());
        assertThat(isClaimable(lineage, waiting)).isEqualTo(!waits);
        assertThat(lineage.awaitedSources(waiting.token(), new MoveIn(MOVE, tokens("source"))))
                .as("of a move-in that is asked for, wherever the watermark stands")
                .isEqualTo(tokens("source"));
    }

    @Test
    void a_partition_that_is_finished_or_has_no_move_in_waits_for_none() {
        PartitionMetadata source = running("source", 1);
        PartitionMetadata finished = new Row("waiting", PartitionState.FINISHED, at(3))
                .moveIn(MOVE, "source")
                .stored();
        assertThat(lineage(source, finished).awaitedSources(finished)).isEmpty();
        PartitionMetadata none = running("waiting", 3);
        assertThat(lineage(source, none).awaitedSources(none)).isEmpty();
        assertThat(isClaimable(lineage(source, none), none)).isTrue();
    }

    @Test
    void every_state_of_a_waiting_partition_waits() {
        PartitionMetadata source = running("source", 1);
        for (PartitionState state : UNFINISHED) {
            PartitionMetadata waiting =
                    new Row("waiting", state, at(3)).moveIn(MOVE, "source").stored();
            assertThat(lineage(source, waiting).awaitedSources(waiting)).isEqualTo(tokens("source"));
            assertThat(lineage(source, waiting).claimable()).containsExactly(source);
        }
    }

    @Test
    void several_sources_are_awaited_each_for_itself_in_the_order_of_the_move_in() {
        PartitionMetadata waiting = waiting(MOVE, "d", "c", "not stored", "a", "b", "e");
        Lineage lineage = lineage(
                new Row("a", PartitionState.FINISHED, at(2)).stored(),
                new Row("b", PartitionState.RUNNING, MOVE).moveOuts("waiting").stored(),
                new Row("c", PartitionState.RUNNING, MOVE).moveOuts("d").stored(),
                running("d", 4),
                running("e", 6),
                waiting);
        assertThat(lineage.awaitedSources(waiting)).isEqualTo(tokens("d", "c", "not stored"));
        assertThat(isClaimable(lineage, waiting)).isFalse();
    }

    @Test
    void two_partitions_that_swap_keys_at_one_time_continue_both() {
        PartitionMetadata a = swapped("a", "b");
        PartitionMetadata b = swapped("b", "a");
        assertThat(lineage(a, b).claimable()).containsExactly(a, b);

        PartitionMetadata slow =
                new Row("b", PartitionState.RUNNING, at(4)).moveIn(MOVE, "a").stored();
        assertThat(lineage(a, slow).claimable())
                .as("b has settled nothing before its move-out, and a has")
                .containsExactly(slow);
    }

    @Test
    void three_partitions_that_pass_keys_round_at_one_time_continue_all() {
        PartitionMetadata a = new Row("a", PartitionState.RUNNING, MOVE)
                .moveIn(MOVE, "c")
                .moveOuts("b")
                .stored();
        PartitionMetadata b = new Row("b", PartitionState.RUNNING, MOVE)
                .moveIn(MOVE, "a")
                .moveOuts("c")
                .stored();
        PartitionMetadata c = new Row("c", PartitionState.RUNNING, MOVE)
                .moveIn(MOVE, "b")
                .moveOuts("a")
                .stored();
        assertThat(lineage(a, b, c).claimable()).containsExactly(a, b, c);
    }

    @Test
    void the_destination_of_a_move_waits_for_its_source_and_the_source_of_another_move_for_none() {
        PartitionMetadata first = running("first", 3);
        PartitionMetadata second = new Row("second", PartitionState.RUNNING, at(4))
                .moveIn(at(4), "first")
                .stored();
        PartitionMetadata third = new Row("third", PartitionState.RUNNING, at(5))
                .moveIn(at(5), "second")
                .stored();
        assertThat(lineage(first, second, third).claimable()).containsExactly(first);
        PartitionMetadata passed = running("first", 6);
        assertThat(lineage(passed, second, third).claimable()).containsExactly(second, passed);
    }

    @Test
    void parents_and_sources_must_both_be_over() {
        Row waiting = new Row("waiting", PartitionState.CREATED, MOVE)
                .moveIn(MOVE, "source")
                .parents("parent");
        PartitionMetadata parent = running("parent", 4);
        PartitionMetadata source = running("source", 4);
        PartitionMetadata parentDone = new Row("parent", PartitionState.FINISHED, MOVE).stored();
        PartitionMetadata sourceDone = running("source", 6);
        PartitionMetadata stored = waiting.stored();
        assertThat(isClaimable(lineage(parent, source, stored), stored)).isFalse();
        assertThat(isClaimable(lineage(parentDone, source, stored), stored)).isFalse();
        assertThat(isClaimable(lineage(parent, sourceDone, stored), stored)).isFalse();
        assertThat(isClaimable(lineage(parentDone, sourceDone, stored), stored)).isTrue();
    }

    @Test
    void a_source_that_lived_in_a_gap_alone_is_not_awaited() {
        PartitionGap gap = new PartitionGap(at(3), MOVE);
        PartitionMetadata waiting =
                PartitionEdit.of(waiting(MOVE, "lived in the gap")).gaps(gap);
        PartitionMetadata other = new Row("other", PartitionState.RUNNING, MOVE).stored();
        PartitionMetadata mayHaveEnded = PartitionEdit.of(other).gaps(gap);
        PartitionMetadata readsOn = PartitionEdit.of(new Row("other", PartitionState.RUNNING, MOVE)
                        .moveIn(MOVE, "lived in the gap")
                        .stored())
                .gaps(gap);

        assertThat(isClaimable(lineage(mayHaveEnded, waiting), waiting))
                .as("its children may be found")
                .isFalse();
        assertThat(isClaimable(lineage(readsOn, waiting), waiting)).isTrue();
        assertThat(isClaimable(lineage(readsOn, waiting), readsOn)).isTrue();
    }

    @Test
    void verify_accepts_a_destination_that_may_have_started_and_ended_in_a_gap() {
        PartitionMetadata skipping = skipping(5, 9);

        assertThat(findings(endedInto("moved", 6), skipping)).isEmpty();
        assertThat(findings(endedInto("moved", 4), skipping)).containsExactly(LineageFinding.Kind.CHILD_MISSING);
        assertThat(findings(endedInto("moved", 9), skipping)).containsExactly(LineageFinding.Kind.CHILD_MISSING);
        PartitionMetadata later = new Row("later", PartitionState.RUNNING, at(12))
                .moveIn(at(10), "moved")
                .stored();
        assertThat(findings(endedInto("moved", 6), skipping, later))
                .as("keys moved out of it after the gap")
                .containsExactly(LineageFinding.Kind.CHILD_MISSING);
        assertThat(findings(endedInto("moved", 6), skipping, endedInto("moved", 11)))
                .as("keys moved to it after the gap")
                .containsOnly(LineageFinding.Kind.CHILD_MISSING);
    }

    @Test
    void verify_accepts_a_destination_that_was_found_at_the_end_of_a_gap() {
        PartitionMetadata skipping = skipping(5, 9);

        assertThat(findings(endedInto("found", 6), skipping, found(9))).isEmpty();
        assertThat(findings(endedInto("found", 4), skipping, found(9)))
                .as("it started before the gap")
                .containsExactly(LineageFinding.Kind.TIME_UNCOVERED);
        assertThat(findings(endedInto("found", 6), skipping, found(8)))
                .as("it was not found at the end of the gap")
                .containsExactly(LineageFinding.Kind.TIME_UNCOVERED);
        assertThat(findings(endedInto("found", 6), skipping, found(9, "parent")))
                .as("its parent named it")
                .contains(LineageFinding.Kind.TIME_UNCOVERED);
    }

    private static List<LineageFinding.Kind> findings(PartitionMetadata... partitions) {
        SubscriptionRecord subscription = new SubscriptionRecord(
                "Orders", at(0), Optional.empty(), Duration.ofSeconds(1), PartitionMode.MUTABLE_KEY_RANGE, false);
        PartitionEnd end = new PartitionEnd(PartitionEnd.Kind.ADOPTED, at(0), List.of());
        PartitionMetadata root = PartitionEdit.of(new Row("Parent0", PartitionState.FINISHED, at(0)).stored())
                .endProof(Optional.of(end));
        List<PartitionMetadata> all = new ArrayList<>(List.of(partitions));
        all.add(root);
        return LineageCheck.check(subscription, Lineage.of(all, Instant.EPOCH), List.of()).findings().stream()
                .map(LineageFinding::kind)
                .toList();
    }

    private static PartitionMetadata skipping(long from, long to) {
        return PartitionEdit.of(new Row("skipping", PartitionState.RUNNING, at(20)).stored())
                .gaps(new PartitionGap(at(from), at(to)));
    }

    /** A source that ended then, and whose keys went to that partition. */
    private static PartitionMetadata endedInto(String destination, long second) {
        PartitionMetadata source = new Row("source" + second, PartitionState.FINISHED, at(second)).stored();
        return PartitionEdit.of(source)
                .endProof(Optional.of(PartitionEnd.partitionEnd(at(second), tokens(destination))));
    }

    private static PartitionMetadata found(long second, String... parents) {
        PartitionMetadata row = PartitionEdit.of(new Row("found", PartitionState.RUNNING, at(20)).stored())
                .start(at(second));
        return PartitionEdit.of(row).parents(tokens(parents));
    }

    @ParameterizedTest
    @CsvSource({"2, 3, true", "2, 4, true", "2, 5, true", "3, 8, false", "5, 8, false"})
    void a_source_that_is_not_stored_is_not_awaited_in_the_middle_of_a_gap(long from, long to, boolean awaited) {
        PartitionMetadata waiting = waiting(MOVE, "started in the gap");
        PartitionMetadata other = PartitionEdit.of(new Row("other", PartitionState.RUNNING, at(to)).stored())
                .gaps(new PartitionGap(at(from), at(to)));
        assertThat(lineage(other, waiting).awaitedSources(waiting))
                .isEqualTo(awaited ? tokens("started in the gap") : tokens());
    }

    @Test
    void a_source_that_has_lost_the_move_in_a_gap_is_over_once_all_others_were_read_up_to_it() {
        PartitionMetadata waiting = waiting(MOVE, "source");
        PartitionMetadata source = running("source", 8);
        PartitionMetadata lost = PartitionEdit.of(source).gaps(new PartitionGap(at(3), at(8)));
        PartitionMetadata behind = running("behind", 4);
        assertThat(isClaimable(lineage(source, behind, waiting), waiting)).isTrue();
        assertThat(isClaimable(lineage(lost, behind, waiting), waiting))
                .as("keys may have come from there to the source, in the gap")
                .isFalse();
        assertThat(isClaimable(lineage(lost, running("behind", 5), waiting), waiting))
                .isTrue();
        PartitionMetadata later = PartitionEdit.of(source).gaps(new PartitionGap(at(6), at(8)));
        assertThat(isClaimable(lineage(later, behind, waiting), waiting)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"-1, true", "0, false", "1, false"})
    void a_source_that_is_not_stored_is_not_awaited_once_the_partitions_at_the_end_of_a_gap_are_found(
            long nanos, boolean awaited) {
        PartitionMetadata waiting = waiting(MOVE, "not stored");
        PartitionMetadata settled = running("other", 5);
        PartitionMetadata atGapEnd = PartitionEdit.of(new Row("gap", PartitionState.RUNNING, MOVE).stored())
                .gaps(new PartitionGap(at(1), MOVE));
        Instant read = MOVE.plusNanos(nanos);
        Map<PartitionToken, Instant> positions = Map.of(token("other"), read, token("gap"), read);
        Lineage lineage = lineage(settled, atGapEnd, waiting);
        assertThat(isClaimable(lineage.withPositions(positions), waiting)).isEqualTo(!awaited);
        assertThat(isClaimable(lineage.withPositions(Map.of(token("other"), read)), waiting))
                .as("the partitions that live at the end of a gap are not known")
                .isFalse();
        PartitionMetadata pending = running("other", 1);
        assertThat(isClaimable(lineage(pending, atGapEnd, waiting).withPositions(positions), waiting))
                .as("what was read there is not settled, and comes again if its lease ends")
                .isFalse();
    }

    @Test
    void the_partitions_at_the_end_of_a_gap_are_found_once_all_others_were_read_up_to_then() {
        PartitionMetadata lost = running("lost", 5);
        PartitionMetadata behind = running("behind", 4);
        PartitionMetadata rows = running(PartitionToken.ADDED_SNAPSHOT + "rows", 1);
        PartitionMetadata finished = new Row("finished", PartitionState.FINISHED, at(1)).stored();
        Lineage lineage = lineage(lost, behind, rows, finished, running("at the end", 5));
        assertThat(lineage.othersAreReadUpTo(MOVE, lost.token())).isFalse();
        assertThat(lineage.othersAreReadUpTo(at(4), lost.token())).isTrue();
        assertThat(lineage.withPositions(Map.of(behind.token(), MOVE)).othersAreReadUpTo(MOVE, lost.token()))
                .as("what was read there is not settled, and comes again if its lease ends")
                .isFalse();
        PartitionMetadata atGapEnd = PartitionEdit.of(lost).gaps(new PartitionGap(at(2), MOVE));
        assertThat(lineage(atGapEnd, behind).waitsAtGapEnd(atGapEnd)).isTrue();
        assertThat(lineage(atGapEnd, behind).waitsAtGapEnd(behind)).isFalse();
        assertThat(lineage(lost, behind).waitsAtGapEnd(lost)).isFalse();
        assertThat(lineage(atGapEnd, running("read on", 5)).waitsAtGapEnd(atGapEnd))
                .isFalse();
    }

    private static PartitionMetadata waiting(Instant watermark, String... sources) {
        return new Row("waiting", PartitionState.RUNNING, watermark)
                .moveIn(MOVE, sources)
                .stored();
    }

    private static PartitionMetadata swapped(String token, String with) {
        return new Row(token, PartitionState.RUNNING, MOVE)
                .moveIn(MOVE, with)
                .moveOuts(with)
                .stored();
    }

    @Test
    void a_gap_of_one_partition_is_added_only_once_the_others_are_settled_to_its_end() {
        SubscriptionRecord subscription = new SubscriptionRecord(
                "Orders", at(0), Optional.empty(), Duration.ofSeconds(1), PartitionMode.MUTABLE_KEY_RANGE, false);
        Correction gap = new Correction.AddGap(new PartitionGap(at(1), at(5)), Set.of(token("a")));

        assertThat(gap.plan(subscription, lineage(running("a", 1), running("b", 4)), List.of(), List.of()))
                .isInstanceOfSatisfying(
                        CorrectionOutcome.Refused.class,
                        refused -> assertThat(refused.reason())
                                .contains("partition b", "Add the gap to it too, or to all"));
        assertThat(gap.plan(subscription, lineage(running("a", 1), running("b", 5)), List.of(), List.of()))
                .isInstanceOf(CorrectionOutcome.Planned.class);
    }

    private static PartitionMetadata running(String token, long watermark) {
        return new Row(token, PartitionState.RUNNING, at(watermark)).stored();
    }

    private static boolean isClaimable(Lineage lineage, PartitionMetadata partition) {
        return lineage.claimable().contains(partition);
    }

    private static Lineage lineage(PartitionMetadata... partitions) {
        return Lineage.of(List.of(partitions), Instant.EPOCH);
    }

    /** A partition that started at second 0. */
    private record Row(
            String token,
            PartitionState state,
            Instant watermark,
            boolean held,
            List<PartitionToken> parents,
            Optional<MoveIn> moveIn,
            Optional<MoveOuts> moveOuts) {
        Row(String token, PartitionState state, Instant watermark) {
            this(token, state, watermark, false, List.of(), Optional.empty(), Optional.empty());
        }

        Row held(boolean isHeld) {
            return new Row(token, state, watermark, isHeld, parents, moveIn, moveOuts);
        }

        Row parents(String... named) {
            return new Row(token, state, watermark, held, tokens(named), moveIn, moveOuts);
        }

        Row moveIn(Instant timestamp, String... sources) {
            return new Row(
                    token,
                    state,
                    watermark,
                    held,
                    parents,
                    Optional.of(new MoveIn(timestamp, tokens(sources))),
                    moveOuts);
        }

        Row moveOuts(String... destinations) {
            return new Row(
                    token,
                    state,
                    watermark,
                    held,
                    parents,
                    moveIn,
                    Optional.of(new MoveOuts("1", tokens(destinations))));
        }

        PartitionMetadata stored() {
            boolean finished = state == PartitionState.FINISHED;
            return new PartitionMetadata(
                    StorageScenario.token(token),
                    parents,
                    at(0),
                    state,
                    watermark,
                    1,
                    Optional.of(StorageScenario.ANN),
                    finished ? Optional.empty() : Optional.of(at(100)),
                    held,
                    finished ? Optional.of(PartitionEnd.partitionEnd(watermark, List.of())) : Optional.empty(),
                    at(0),
                    Optional.of(at(0)),
                    Optional.of(at(0)),
                    finished ? Optional.of(at(0)) : Optional.empty(),
                    List.of(),
                    moveIn,
                    moveOuts);
        }
    }
}
