package dev.spream.core.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.START;
import static dev.spream.testkit.partition.StorageScenario.SUBSCRIPTION;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.child;
import static dev.spream.testkit.partition.StorageScenario.children;
import static dev.spream.testkit.partition.StorageScenario.endedInto;
import static dev.spream.testkit.partition.StorageScenario.token;
import static dev.spream.testkit.partition.StorageScenario.tokens;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.LineageFinding.Kind;
import dev.spream.testkit.partition.StorageScenario;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Tests of each rule by itself. The lineage that is changed: the root in a and b at the start; a and b merge into c
 * at 10; c splits at 20 into d, which is read to the end of the subscription, and e, which no worker has acquired.
 */
final class LineageCheckTest {
    private static final PartitionToken ROWS = token("snapshot:added:x");
    private static final List<PartitionToken> CHANGES = List.of(PartitionToken.SNAPSHOT_CHANGES);
    private static final Instant END = SUBSCRIPTION.endTimestamp().orElseThrow();

    private final StorageScenario scenario = new StorageScenario(new InMemoryFixture());
    private final PartitionStorage storage = scenario.storage();
    private final StoredState state = read();

    private StoredState read() {
        PartitionLease root = scenario.runningRoot(ANN);
        scenario.add(root, 0, "a", "b");
        scenario.finish(root, 0, "a", "b");
        PartitionLease a = scenario.running(ANN, "a");
        PartitionLease b = scenario.running(ANN, "b");
        storage.addChildren(a, children(10, child("c", "a", "b")));
        scenario.finish(a, 10, "c");
        storage.addChildren(b, children(10, child("c", "a", "b")));
        scenario.finish(b, 10, "c");
        PartitionLease c = scenario.running(ANN, "c");
        scenario.add(c, 20, "d", "e");
        scenario.finish(c, 20, "d", "e");
        storage.finish(scenario.running(ANN, "d"), at(30), PartitionEnd.boundedEnd(END));
        return StoredState.of(storage);
    }

    @Test
    void a_lineage_without_a_gap_is_counted_and_proven() {
        LineageReport report = state.check();
        assertThat(report).isEqualTo(new LineageReport(6, 5, 0, 0, false, List.of(), List.of(), Optional.empty()));
        assertThat(report.isProven()).isTrue();
    }

    @Test
    void partitions_that_were_removed_are_judged_by_their_proofs() {
        storage.cleanUp(Instant.MAX);
        assertThat(StoredState.of(storage).check())
                .isEqualTo(new LineageReport(6, 5, 4, 0, false, List.of(), List.of(), Optional.empty()));
    }

    @Test
    void a_removal_between_reading_the_rows_and_the_proofs_is_no_finding() {
        storage.cleanUp(Instant.MAX);
        assertThat(LineageCheck.check(SUBSCRIPTION, Lineage.of(state.partitions(), START), storage.proofs())
                        .findings())
                .isEmpty();
    }

    @Test
    void the_initial_query_is_missing() {
        assertFinds(state.without(row("Parent0")), Kind.ROOT_MISSING, "Parent0");
    }

    @Test
    void the_initial_query_starts_after_the_subscription() {
        StoredState later = state.with(new SubscriptionRecord(
                "Orders",
                START.minusSeconds(5),
                Optional.of(END),
                Duration.ofSeconds(10),
                SUBSCRIPTION.partitionMode(),
                false));
        LineageFinding finding = assertFinds(later, Kind.ROOT_START, "Parent0");
        assertUncovered(finding, at(-5), at(0));
    }

    @Test
    void the_initial_query_found_partitions_that_start_later_than_it() {
        StoredState later = state;
        for (String child : List.of("a", "b")) {
            later = later.with(PartitionEdit.of(row(child)).start(at(3)));
        }
        later = later.with(
                PartitionEdit.of(PartitionEdit.of(row("Parent0")).endProof(Optional.of(endedInto(3, "a", "b"))))
                        .watermark(at(3)));
        assertUncovered(assertFinds(later, Kind.TIME_UNCOVERED, "Parent0"), at(0), at(3));
    }

    @Test
    void a_finished_partition_has_no_proof() {
        assertFinds(state.with(PartitionEdit.of(row("d")).endProof(Optional.empty())), Kind.NO_END_PROOF, "d");
    }

    @Test
    void a_proof_names_a_child_that_is_nowhere() {
        LineageFinding finding = assertFinds(state.without(row("e")), Kind.CHILD_MISSING, "c", "e");
        assertThat(finding.message()).contains("c", "e", at(20).toString());
    }

    @Test
    void a_partition_was_read_though_a_parent_is_nowhere() {
        StoredState foundling = state.with(PartitionEdit.of(row("d")).parents(tokens("c", "lost")));
        assertFinds(foundling, Kind.PARENT_MISSING, "lost", "d");
    }

    @Test
    void one_of_two_parents_of_a_merge_is_nowhere() {
        assertThat(state.without(row("b")).check().findings())
                .extracting(LineageFinding::kind)
                .containsExactlyInAnyOrder(Kind.CHILD_MISSING, Kind.PARENT_MISSING);
    }

    @Test
    void a_parent_that_may_not_be_discovered_yet_is_no_finding() {
        PartitionMetadata waiting =
                PartitionMetadata.created(token("f"), tokens("undiscovered"), at(40), Instant.EPOCH);
        assertThat(state.with(waiting).check().findings()).isEmpty();
        StoredState passed =
                state.with(PartitionEdit.of(row("e")).watermark(at(40))).with(waiting);
        assertFinds(passed, Kind.PARENT_MISSING, "undiscovered", "f");
    }

    @Test
    void a_child_names_a_finished_parent_that_does_not_name_it() {
        StoredState unnamed = state.with(PartitionEdit.of(row("c")).endProof(Optional.of(endedInto(20, "d"))));
        assertFinds(unnamed, Kind.CHILD_NOT_NAMED, "c", "e");
    }

    @Test
    void a_parent_names_a_child_that_does_not_name_it() {
        StoredState unnamed = state.with(PartitionEdit.of(row("c")).parents(tokens("a")));
        assertFinds(unnamed, Kind.PARENT_NOT_NAMED, "b", "c");
    }

    @Test
    void a_child_starts_after_the_end_of_its_parent() {
        LineageFinding finding =
                assertFinds(state.with(PartitionEdit.of(row("e")).start(at(25))), Kind.TIME_UNCOVERED, "c", "e");
        assertUncovered(finding, at(20), at(25));
        assertThat(finding.message())
                .contains("the time between is not covered, from %s to %s".formatted(at(20), at(25)));
    }

    @Test
    void a_child_starts_before_the_end_of_its_parent() {
        assertFinds(state.with(PartitionEdit.of(row("e")).start(at(19))), Kind.TIME_OVERLAP, "c", "e");
    }

    @Test
    void a_finished_partition_has_a_watermark_before_the_start_of_its_children() {
        LineageFinding finding =
                assertFinds(state.with(PartitionEdit.of(row("c")).watermark(at(15))), Kind.TIME_UNCOVERED, "c");
        assertUncovered(finding, at(15), at(20));
    }

    @Test
    void a_bounded_end_comes_before_the_end_of_the_subscription() {
        LineageFinding finding = assertFinds(
                state.with(PartitionEdit.of(row("d")).endProof(Optional.of(PartitionEnd.boundedEnd(at(30))))),
                Kind.BOUNDED_END,
                "d");
        assertUncovered(finding, at(30), END);
    }

    @Test
    void a_bounded_end_in_a_subscription_without_end() {
        StoredState endless = state.with(new SubscriptionRecord(
                "Orders", START, Optional.empty(), Duration.ofSeconds(10), SUBSCRIPTION.partitionMode(), false));
        assertFinds(endless, Kind.BOUNDED_END, "d");
    }

    @Test
    void a_bounded_end_at_the_time_of_an_added_snapshot_is_no_finding_until_that_is_settled() {
        StoredState paused = paused(30);
        PartitionMetadata rows = PartitionMetadata.created(ROWS, CHANGES, at(30), Instant.EPOCH);
        assertThat(paused.with(rows).check().findings()).isEmpty();
        assertFinds(paused(29).with(rows), Kind.BOUNDED_END, "d");

        FinishedPartition settled = new FinishedPartition(
                ROWS, CHANGES, at(30), PartitionEnd.partitionEnd(at(30).plusNanos(1), List.of()), at(31), List.of());
        PartitionMetadata readOn =
                PartitionEdit.of(PartitionEdit.of(row("e")).epoch(1)).watermark(at(31));
        assertFinds(paused.with(settled).with(readOn), Kind.BOUNDED_END, "d");
    }

    @Test
    void a_partition_was_settled_past_the_time_of_an_added_snapshot_that_is_not() {
        StoredState paused = paused(30).with(PartitionMetadata.created(ROWS, CHANGES, at(30), Instant.EPOCH));
        PartitionMetadata read = PartitionEdit.of(row("e")).epoch(1);
        assertThat(paused.with(PartitionEdit.of(read).watermark(at(30))).check().findings())
                .isEmpty();
        PartitionMetadata past = PartitionEdit.of(read).watermark(at(30).plusNanos(1));
        assertFinds(paused.with(past), Kind.READ_PAST_SNAPSHOT, "e");
        PartitionMetadata lost = PartitionEdit.of(past).gaps(new PartitionGap(at(25), past.watermark()));
        assertThat(paused.with(lost).check().findings()).as("in a gap").isEmpty();
    }

    @Test
    void a_partition_was_finished_after_the_time_of_an_added_snapshot_that_is_not_settled() {
        PartitionMetadata rows = PartitionMetadata.created(ROWS, CHANGES, at(30), Instant.EPOCH);
        assertFinds(state.with(rows), Kind.READ_PAST_SNAPSHOT, "d");
        PartitionMetadata skipped = PartitionEdit.of(row("d")).gaps(new PartitionGap(at(25), at(30).plusNanos(1)));
        assertThat(state.with(PartitionEdit.of(skipped).watermark(END))
                        .with(rows)
                        .check()
                        .findings())
                .as("in a gap")
                .isEmpty();
        storage.cleanUp(Instant.MAX);
        assertFinds(StoredState.of(storage).with(rows), Kind.READ_PAST_SNAPSHOT, "d");

        FinishedPartition settled = new FinishedPartition(
                ROWS, CHANGES, at(30), PartitionEnd.partitionEnd(at(30).plusNanos(1), List.of()), at(31), List.of());
        storage.finish(scenario.running(ANN, "e"), END, PartitionEnd.boundedEnd(END));
        assertThat(StoredState.of(storage).with(settled).check().findings())
                .as("settled")
                .isEmpty();
    }

    /** The state with d read up to that second only. */
    private StoredState paused(long second) {
        return state.with(PartitionEdit.of(row("d")).endProof(Optional.of(PartitionEnd.boundedEnd(at(second)))));
    }

    @Test
    void a_partition_was_settled_past_its_start_before_its_parent_was_finished() {
        PartitionMetadata unfinished = PartitionMetadata.created(token("e2"), tokens("e"), at(40), Instant.EPOCH);
        assertThat(state.with(unfinished).check().findings()).isEmpty();
        PartitionMetadata ahead = PartitionEdit.of(unfinished).epoch(1);
        assertThat(state.with(ahead).check().findings()).as("read ahead").isEmpty();
        assertFinds(state.with(PartitionEdit.of(ahead).watermark(at(41))), Kind.READ_BEFORE_PARENT, "e", "e2");
    }

    @Test
    void the_subscription_is_completed_and_a_partition_is_not() {
        StoredState completed = state.with(new SubscriptionRecord(
                "Orders", START, Optional.of(END), Duration.ofSeconds(10), SUBSCRIPTION.partitionMode(), true));
        assertFinds(completed, Kind.NOT_COMPLETE, "e");
    }

    @Test
    void a_removed_partition_is_stored_again() {
        storage.cleanUp(Instant.MAX);
        PartitionMetadata again = PartitionMetadata.created(token("d"), tokens("c"), at(20), Instant.EPOCH);
        assertThat(StoredState.of(storage).with(again).check().findings())
                .extracting(LineageFinding::kind)
                .containsExactly(Kind.STORED_AGAIN);
    }

    @Test
    void partitions_that_continue_each_other_in_a_circle() {
        StoredState circle = state.with(PartitionEdit.of(row("e")).parents(tokens("c", "f")))
                .with(PartitionMetadata.created(token("f"), tokens("e"), at(40), Instant.EPOCH));
        assertFinds(circle, Kind.CYCLE, "e", "f");
    }

    @Test
    void an_accepted_gap_is_reported_and_no_finding() {
        PartitionGap gap = new PartitionGap(at(20), at(29));
        LineageReport report = state.with(PartitionEdit.of(row("d")).gaps(gap)).check();
        assertThat(report.losses()).containsExactly(new LineageReport.Loss(token("d"), gap));
        assertThat(report.findings()).isEmpty();
    }

    @Test
    void gaps_that_touch_are_one() {
        StoredState skipped = state.with(
                PartitionEdit.of(row("d")).gaps(new PartitionGap(at(20), at(25)), new PartitionGap(at(25), at(29))));
        assertThat(skipped.check().findings()).isEmpty();
        LineageNode node = LineageNode.of(
                PartitionEdit.of(row("d")).gaps(new PartitionGap(at(20), at(25)), new PartitionGap(at(25), at(29))));
        assertThat(node.hasGap(at(21), at(28))).isTrue();
        assertThat(node.hasGap(at(21), at(30))).isFalse();
    }

    @Test
    void gaps_that_overlap_or_lie_ahead_of_the_watermark() {
        PartitionMetadata overlapping =
                PartitionEdit.of(row("d")).gaps(new PartitionGap(at(20), at(25)), new PartitionGap(at(24), at(29)));
        assertFinds(state.with(overlapping), Kind.GAP_MISPLACED, "d");
        PartitionMetadata ahead = PartitionEdit.of(row("d")).gaps(new PartitionGap(at(30), at(31)));
        assertFinds(state.with(ahead), Kind.GAP_MISPLACED, "d");
    }

    @Test
    void a_lost_partition_has_its_loss_recorded_as_a_gap() {
        PartitionEnd lost = new PartitionEnd(PartitionEnd.Kind.RETENTION_LOST, at(50), List.of());
        PartitionMetadata row = PartitionEdit.of(PartitionEdit.of(row("d")).endProof(Optional.of(lost)))
                .watermark(at(50));
        assertFinds(state.with(row), Kind.GAP_MISPLACED, "d");
        StoredState recorded = state.with(PartitionEdit.of(row).gaps(new PartitionGap(at(30), at(50))));
        assertThat(recorded.check().findings()).isEmpty();
    }

    @Test
    void partitions_in_the_gap_of_a_lost_one_may_have_unknown_parents() {
        PartitionEnd lost = new PartitionEnd(PartitionEnd.Kind.RETENTION_LOST, at(50), tokens("e", "found"));
        PartitionMetadata row = PartitionEdit.of(
                        PartitionEdit.of(PartitionEdit.of(row("d")).endProof(Optional.of(lost)))
                                .watermark(at(50)))
                .gaps(new PartitionGap(at(30), at(50)));
        StoredState replaced = state.with(row)
                .with(PartitionMetadata.created(token("found"), tokens("d"), at(50), Instant.EPOCH))
                .with(PartitionEdit.of(PartitionMetadata.created(
                                token("orphan"), tokens("never-discovered"), at(45), Instant.EPOCH))
                        .epoch(1));
        assertThat(replaced.check().findings()).isEmpty();
        StoredState outside = replaced.with(PartitionEdit.of(
                        PartitionMetadata.created(token("orphan"), tokens("never-discovered"), at(51), Instant.EPOCH))
                .epoch(1));
        assertFinds(outside, Kind.PARENT_MISSING, "never-discovered", "orphan");
    }

    @Test
    void the_word_of_an_adopted_table_is_taken() {
        StoredState adopted = state.with(adopted("c", 20, "d"))
                .with(adopted("b", 10, "c"))
                .with(adopted("Parent0", 0, "b"))
                .without(row("a"))
                .with(new FinishedPartition(token("a"), List.of(), START, word(10, "c"), Instant.EPOCH, List.of()));
        LineageReport report = adopted.check();
        assertThat(report.findings()).isEmpty();
        assertThat(report.adopted()).isEqualTo(4);
    }

    @Test
    void gaps_of_an_adopted_table_are_found() {
        StoredState adopted = state.with(adopted("c", 20, "d")).with(adopted("b", 10, "c"));
        assertFinds(adopted.without(row("d")), Kind.CHILD_MISSING, "c", "d");
        assertFinds(adopted.with(PartitionEdit.of(row("d")).start(at(22))), Kind.TIME_UNCOVERED, "c", "d");
    }

    /** As another reader left it: its watermark need not have reached its end. */
    private PartitionMetadata adopted(String token, long end, String... children) {
        PartitionMetadata row = PartitionEdit.of(row(token)).endProof(Optional.of(word(end, children)));
        return PartitionEdit.of(row).watermark(row.startTimestamp());
    }

    private static PartitionEnd word(long end, String... children) {
        return new PartitionEnd(PartitionEnd.Kind.ADOPTED, at(end), tokens(children));
    }

    @Test
    void lag_and_the_time_until_loss_are_measured_from_the_watermark() {
        PartitionMetadata e = row("e");
        assertThat(e.lag(at(50))).isEqualTo(Duration.ofSeconds(30));
        assertThat(e.lag(at(10))).isEqualTo(Duration.ZERO);
        assertThat(e.untilLoss(Duration.ofSeconds(100), at(50))).isEqualTo(Duration.ofSeconds(70));
        assertThat(e.untilLoss(Duration.ofSeconds(20), at(50))).isEqualTo(Duration.ofSeconds(-10));
    }

    /** Keys moved from p to q at 10, when p ended; q lives. */
    private static StoredState moved() {
        StorageScenario moves = new StorageScenario(new InMemoryFixture());
        PartitionLease root = moves.runningRoot(ANN);
        moves.add(root, 0, "p", "q");
        moves.finish(root, 0, "p", "q");
        PartitionLease p = moves.running(ANN, "p");
        PartitionLease q = moves.running(ANN, "q");
        moves.storage().advanceWatermarks(List.of(new WatermarkAdvance(q, at(10), Optional.empty())));
        moves.storage().waitForMoveIn(q, new MoveIn(at(10), tokens("p")));
        moves.storage().finish(p, at(10), PartitionEnd.partitionEnd(at(10), tokens("q")));
        moves.storage().advanceWatermarks(List.of(new WatermarkAdvance(q, at(12), Optional.empty())));
        SubscriptionRecord mutable = new SubscriptionRecord(
                SUBSCRIPTION.streamName(),
                START,
                SUBSCRIPTION.endTimestamp(),
                SUBSCRIPTION.heartbeatInterval(),
                PartitionMode.MUTABLE_KEY_RANGE,
                false);
        return StoredState.of(moves.storage()).with(mutable);
    }

    private static PartitionMetadata unfinished(String token, long watermark, Optional<MoveOuts> moveOuts) {
        PartitionMetadata created = PartitionMetadata.created(token(token), List.of(), START, START);
        return new PartitionMetadata(
                created.token(),
                List.of(),
                START,
                PartitionState.RUNNING,
                at(watermark),
                1,
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty(),
                START,
                Optional.of(START),
                Optional.of(START),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                moveOuts);
    }

    @Test
    void moves_after_which_nothing_was_read_too_early_are_proven() {
        assertThat(moved().check().findings()).isEmpty();
        assertThat(moved().with(unfinished("p", 10, Optional.of(new MoveOuts("1", tokens("q")))))
                        .check()
                        .findings())
                .isEmpty();
        assertThat(moved().with(unfinished("p", 11, Optional.empty())).check().findings())
                .isEmpty();
    }

    @Test
    void a_partition_was_read_past_a_move_in_before_its_source_was_settled() {
        assertFinds(moved().with(unfinished("p", 9, Optional.empty())), Kind.READ_BEFORE_MOVE_OUT, "p", "q");
        assertFinds(moved().with(unfinished("p", 10, Optional.empty())), Kind.READ_BEFORE_MOVE_OUT, "p", "q");
        assertFinds(
                moved().with(unfinished("p", 10, Optional.of(new MoveOuts("1", tokens("other"))))),
                Kind.READ_BEFORE_MOVE_OUT,
                "p",
                "q");
    }

    @Test
    void a_source_of_moved_keys_is_missing() {
        StoredState state = moved();
        PartitionMetadata p = find(state, "p");
        PartitionMetadata root = find(state, PartitionToken.ROOT.value());
        StoredState rootOfQ = state.with(
                PartitionEdit.of(root).endProof(Optional.of(PartitionEnd.childPartitions(START, tokens("q")))));
        assertFinds(rootOfQ.without(p), Kind.SOURCE_MISSING, "p", "q");

        PartitionMetadata q = find(state, "q");
        assertThat(rootOfQ.without(p)
                        .with(unfinished("other", 9, Optional.empty()))
                        .check()
                        .findings())
                .as("p may not be discovered")
                .isEmpty();
        assertThat(rootOfQ.without(p)
                        .with(PartitionEdit.of(q).gaps(new PartitionGap(at(9), at(11))))
                        .check()
                        .findings())
                .as("p may have lived in the gap")
                .isEmpty();
        assertThat(state.without(p)
                        .with(PartitionEdit.of(root).endProof(Optional.of(word(0, "q"))))
                        .check()
                        .findings())
                .as("the reader before removed it")
                .isEmpty();
    }

    @Test
    void a_destination_of_a_partition_that_ended_is_missing_or_starts_later() {
        StoredState state = moved();
        PartitionMetadata p = find(state, "p");
        StoredState other = state.with(
                PartitionEdit.of(p).endProof(Optional.of(PartitionEnd.partitionEnd(at(10), tokens("q", "r")))));
        assertFinds(other, Kind.CHILD_MISSING, "p", "r");
        assertUncovered(
                assertFinds(
                        other.with(PartitionMetadata.created(token("r"), List.of(), at(11), at(11))),
                        Kind.TIME_UNCOVERED,
                        "p",
                        "r"),
                at(10),
                at(11));
    }

    @Test
    void the_watermark_of_a_partition_stops_before_its_end_record() {
        StoredState state = moved();
        assertUncovered(
                assertFinds(state.with(PartitionEdit.of(find(state, "p")).watermark(at(8))), Kind.TIME_UNCOVERED, "p"),
                at(8),
                at(10));
    }

    private static PartitionMetadata find(StoredState state, String token) {
        return state.partitions().stream()
                .filter(partition -> partition.token().equals(token(token)))
                .findFirst()
                .orElseThrow();
    }

    private PartitionMetadata row(String token) {
        return state.partitions().stream()
                .filter(partition -> partition.token().equals(token(token)))
                .findFirst()
                .orElseThrow();
    }

    private static LineageFinding assertFinds(StoredState spoilt, Kind kind, String... partitions) {
        assertThat(spoilt.check().findings()).hasSize(1);
        LineageFinding finding = spoilt.check().findings().getFirst();
        assertThat(finding.kind()).isEqualTo(kind);
        assertThat(finding.partitions()).containsExactly(tokens(partitions).toArray(PartitionToken[]::new));
        assertThat(finding.message()).doesNotContain("\n");
        return finding;
    }

    private static void assertUncovered(LineageFinding finding, Instant from, Instant to) {
        assertThat(finding.from()).contains(from);
        assertThat(finding.to()).contains(to);
    }
}
