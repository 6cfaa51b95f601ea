package dev.spream.flink;

import static dev.spream.flink.EnumeratorStage.options;
import static dev.spream.flink.EnumeratorStage.tokens;
import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.core.consume.Ordering;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.SubscriptionState;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.util.FlinkRuntimeException;
import org.junit.jupiter.api.Test;

/** Tests of jobs that begin where a stored subscription stands. */
final class StoredSubscriptionTest {
    private static final WorkerId WORKER = new WorkerId("ann");
    private static final Duration LEASE = Duration.ofMinutes(10);

    private final PartitionStorage storage = new InMemoryPartitionStorage();

    /** Stores partitions a, b and c: b is behind a move-in from a, c is the child of both. */
    private List<PartitionLease> read(Optional<Instant> end) {
        storage.openSubscription(new SubscriptionRecord(
                new ScriptedSource().streamName(),
                START,
                end,
                Duration.ofSeconds(1),
                PartitionMode.IMMUTABLE_KEY_RANGE,
                false));
        PartitionLease root = acquired("Parent0");
        add(root, 1, new ChildPartition("a", List.of()), new ChildPartition("b", List.of()));
        storage.finish(root, at(1), PartitionEnd.childPartitions(at(1), tokens("a", "b")));
        PartitionLease a = acquired("a");
        PartitionLease b = acquired("b");
        add(b, 30, new ChildPartition("c", List.of("a", "b")));
        storage.advanceWatermarks(List.of(
                new WatermarkAdvance(a, at(20), Optional.of(new MoveOuts("7", tokens("x")))),
                new WatermarkAdvance(b, at(22))));
        storage.waitForMoveIn(b, new MoveIn(at(25), tokens("a")));
        return List.of(a, b);
    }

    private PartitionLease acquired(String token) {
        PartitionLease lease = storage.acquire(
                        WORKER,
                        List.of(PartitionClaim.of(storage.lineage()
                                .partition(new PartitionToken(token))
                                .orElseThrow())),
                        LEASE)
                .getFirst();
        storage.markRunning(lease);
        return lease;
    }

    private void add(PartitionLease parent, long second, ChildPartition... children) {
        storage.addChildren(parent, new ChildPartitionsRecord(at(second), "0", List.of(children)));
    }

    private EnumeratorStage begin(Optional<Instant> end) {
        return begin(end, () -> SubscriptionState.ofStopped(storage));
    }

    private static EnumeratorStage begin(Optional<Instant> end, StoredSubscription stored) {
        ReadOptions options = options(Ordering.KEY, Optional.empty(), end).startFrom(stored);
        EnumeratorStage stage = new EnumeratorStage(1, new ScriptedSource(), options, null);
        stage.started(0);
        return stage;
    }

    @Test
    void a_job_begins_with_the_unfinished_partitions_at_their_watermarks() {
        storage.release(read(Optional.empty()));

        EnumeratorStage stage = begin(Optional.empty());

        List<PartitionSplit> splits = stage.splitsOf(0);
        assertThat(splits).extracting(PartitionSplit::splitId).containsExactly("a", "b");
        assertThat(splits).extracting(PartitionSplit::position).containsExactly(at(20), at(22));
        assertThat(splits.getFirst().moveOuts()).contains(new MoveOuts("7", tokens("x")));
        stage.ended(0, "a", 30, "c");
        stage.ended(0, "b", 30, "c");
        assertThat(stage.given(0)).as("the child, known from the storage").containsExactly("c");
        assertThat(storage.lineage().claimable())
                .as("the storage is not changed")
                .extracting(partition -> partition.token().value())
                .containsExactly("a");
    }

    @Test
    void a_restored_job_continues_its_own_state() {
        storage.release(read(Optional.empty()));
        EnumeratorStage stage = begin(Optional.empty());
        stage.splitsOf(0);
        stage.progressed(0, "a", 28);
        EnumeratorState state = stage.checkpoint(1);
        ReadOptions options = options(Ordering.KEY, Optional.empty(), Optional.empty())
                .startFrom(() -> {
                    throw new IllegalStateException("the storage is read again");
                });

        EnumeratorStage restored = EnumeratorStage.restore(1, state, options);

        assertThat(restored.checkpoint(2).partitions())
                .filteredOn(partition -> partition.token().value().equals("a"))
                .singleElement()
                .satisfies(a -> assertThat(a.watermark()).isEqualTo(at(28)));
    }

    @Test
    void a_subscription_that_a_worker_reads_is_refused() {
        read(Optional.empty());
        assertThatThrownBy(() -> begin(Optional.empty()))
                .isInstanceOf(FlinkRuntimeException.class)
                .hasMessageContainingAll(
                        "the job cannot begin where the stored subscription stands, and has read nothing",
                        "worker ann holds partition a until");
    }

    @Test
    void a_subscription_at_the_end_of_a_gap_is_refused_until_a_worker_has_read_on() {
        List<PartitionLease> leases = read(Optional.empty());
        storage.acceptGap(leases.getFirst(), new PartitionGap(at(20), at(24)));
        storage.release(leases);
        assertThatThrownBy(() -> begin(Optional.empty()))
                .hasMessageContainingAll(
                        "partition a stands at the end of an accepted gap, " + at(24), "Start a worker");

        PartitionLease a = acquired("a");
        storage.advanceWatermarks(List.of(new WatermarkAdvance(a, at(25))));
        storage.release(List.of(a));
        assertThat(begin(Optional.empty()).given(0)).containsExactly("b", "a");
    }

    @Test
    void an_end_that_is_not_that_of_the_subscription_is_refused() {
        storage.release(read(Optional.of(at(100))));
        assertThatThrownBy(() -> begin(Optional.empty()))
                .hasMessageContainingAll(
                        "the stored subscription differs from the options of the job",
                        "end is " + at(100) + ", requested is none");
        assertThat(begin(Optional.of(at(100))).given(0)).containsExactly("a", "b");
    }

    @Test
    void a_storage_that_does_not_answer_is_asked_again() {
        storage.release(read(Optional.empty()));
        AtomicInteger calls = new AtomicInteger();
        EnumeratorStage stage = begin(Optional.empty(), () -> {
            if (calls.getAndIncrement() == 0) {
                throw new StorageException("the storage does not answer", true, null);
            }
            return SubscriptionState.ofStopped(storage);
        });
        assertThat(stage.given(0)).isEmpty();
        stage.pass(Duration.ofSeconds(2));
        stage.run();
        assertThat(stage.given(0)).containsExactly("a", "b");
    }

    @Test
    void a_source_has_one_beginning() {
        assertThatThrownBy(() -> FlinkChangeStreamSource.builder(
                                ScriptedSource::new, ChangeDeserializationSchema.records())
                        .startFrom(() -> SubscriptionState.ofStopped(storage))
                        .startAt(START)
                        .build())
                .hasMessageContaining("a stored subscription has its own beginning");
    }

    @Test
    void a_partition_that_ended_with_the_subscription_stays_in_the_state() {
        storage.release(read(Optional.of(at(100))));
        EnumeratorStage stage = begin(Optional.of(at(100)));
        stage.splitsOf(0);
        stage.found(0, "b", 25, new ChildPartition("e", List.of()));
        stage.send(0, new ReaderEvent.ReadToEnd(EnumeratorStage.progress("e", 100), PartitionEnd.boundedEnd(at(100))));
        stage.progressed(0, "a", 90);
        stage.progressed(0, "b", 90);
        stage.checkpoint(1);
        stage.complete(1);
        assertThat(stage.checkpoint(2).finished())
                .as("a later end reads it on")
                .anyMatch(finished -> finished.token().value().equals("e"));
    }

    @Test
    void the_state_of_a_job_is_stored_as_the_subscription() {
        storage.release(read(Optional.empty()));
        EnumeratorStage stage = begin(Optional.empty());
        stage.splitsOf(0);
        stage.ended(0, "a", 30, "c");
        stage.progressed(0, "b", 25);
        EnumeratorState state = stage.checkpoint(1);

        assertThat(new JobSavepoint(
                                "memory",
                                new SubscriptionState(
                                        state.subscription().orElseThrow(), state.partitions(), state.finished()))
                        .storeIn(storage, new CorrectionAct("ann", "back")))
                .contains("2 unfinished ones stored");

        assertThat(storage.lineage().claimable()).singleElement().satisfies(b -> {
            assertThat(b.token().value()).isEqualTo("b");
            assertThat(b.watermark()).isEqualTo(at(25));
        });
        assertThat(acquired("b").epoch()).isGreaterThan(1);
    }

    /** A partition that others wait for may have changes before its own move-in that are not settled. */
    @Test
    void partitions_that_exchanged_keys_after_their_last_report_are_claimed_by_workers() {
        EnumeratorStage stage = EnumeratorStage.begin(2).roots("a", "b");
        stage.movedIn(0, "a", 5, "b");
        stage.movedIn(1, "b", 5, "a");
        store(stage.checkpoint(2));
        assertThat(claimable()).as("both are before the exchange").containsExactlyInAnyOrder("a", "b");

        stage.progressed(0, "a", 5);
        stage.progressed(1, "b", 5);
        store(stage.checkpoint(3));
        assertThat(claimable())
                .as("both are between the events of the exchange")
                .containsExactlyInAnyOrder("a", "b");
    }

    private void store(EnumeratorState state) {
        new JobSavepoint(
                        "memory",
                        new SubscriptionState(state.subscription().orElseThrow(), state.partitions(), state.finished()))
                .storeIn(storage, new CorrectionAct("ann", "back"));
    }

    private List<String> claimable() {
        return storage.lineage().claimable().stream()
                .map(partition -> partition.token().value())
                .toList();
    }
}
