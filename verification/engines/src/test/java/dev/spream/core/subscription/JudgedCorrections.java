package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.MissingChanges;
import dev.spream.core.partition.CorrectionPlan;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.RecordIdentity;
import dev.spream.core.subscription.SimulatedWorld.Change;
import dev.spream.core.subscription.SimulationViolation.Promise;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of the {@link SimulationJudge} that knows what an operator corrected. Changes in a gap count as settled, and
 * where keys move between living partitions, so do all moves before its end; nothing else is lost. The rows of an added
 * snapshot come after every change up to their time, and before every later one.
 */
final class JudgedCorrections {
    private final SimulationJudge judge;
    private final SimulatedWorld world;
    private final SimulationTally tally;
    private final List<PartitionGap> gaps = new ArrayList<>();
    private final Map<PartitionToken, Instant> gapEnds = new HashMap<>();
    private final Set<PartitionToken> neverRead = new HashSet<>();
    private final Set<RecordIdentity> lost = new HashSet<>();
    private final Map<PartitionToken, Long> readOnAfter = new HashMap<>(); // the epochs of the pause
    private List<Change> rows = List.of();
    private final Set<PartitionToken> startedInLoss = new HashSet<>();
    private @Nullable Instant gapTo;
    private @Nullable Instant lossTo;
    private @Nullable Instant rowsAt;
    private Instant latestDelivered = Instant.MIN;
    private boolean paused;

    JudgedCorrections(SimulationJudge judge, SimulatedWorld world, SimulationTally tally) {
        this.judge = judge;
        this.world = world;
        this.tally = tally;
    }

    void gapAdded(Instant to, CorrectionPlan plan) {
        gapTo = to;
        for (PartitionMetadata partition : plan.written()) {
            PartitionGap gap = partition.gaps().getLast();
            world.changesOf(partition.token()).stream()
                    .map(Change::row)
                    .filter(row -> !row.commitTimestamp().isBefore(gap.from())
                            && row.commitTimestamp().isBefore(to))
                    .forEach(row -> judge.skipped(judge.known(row)));
            gaps.add(gap);
            gapEnds.put(partition.token(), to);
            judge.order.skipped(partition.token(), to);
        }
        if (world.isMutable()) {
            world.partitions().stream()
                    .filter(partition -> !judge.order.isDiscovered(partition.token) && partition.start.isBefore(to))
                    .forEach(partition -> startedInGap(partition, to));
        }
        judge.storage.corrected(plan.written());
    }

    /** A process accepts that the stream has lost changes of a partition. */
    void lossAccepted(PartitionToken token, PartitionGap gap) {
        if (gap.to().equals(gapEnds.put(token, gap.to()))) {
            return;
        }
        tally.count(SimulationEvent.LOSS_ACCEPTED);
        lossTo = gap.to();
        gaps.add(gap);
        world.changesOf(token).stream()
                .filter(change -> !change.row().commitTimestamp().isBefore(gap.from())
                        && change.row().commitTimestamp().isBefore(gap.to()))
                .forEach(this::lose);
        judge.order.skipped(token, gap.to());
        SimulatedPartition partition = world.partition(token);
        if (partition != null) {
            startedBy(partition, gap);
        }
    }

    /** Nothing else names the partitions that those records name, nor those that they name in turn. */
    private void startedBy(SimulatedPartition partition, PartitionGap gap) {
        partition.records.stream()
                .filter(row ->
                        !row.timestamp().isBefore(gap.from()) && row.timestamp().isBefore(gap.to()))
                .filter(row -> !row.timestamp().equals(partition.end) || !isReadAtEnd(partition.token))
                .flatMap(row -> SimulatedPartition.started(row).stream())
                .map(token -> requireNonNull(world.partition(token)))
                .forEach(started -> startedBy(partition, started, gap));
    }

    private void startedBy(SimulatedPartition partition, SimulatedPartition started, PartitionGap gap) {
        boolean isNamed = judge.order.isDiscovered(started.token)
                || started.parents.stream().anyMatch(this::isReadAtEnd);
        if (!isNamed) {
            gapEnds.put(started.token, gap.to());
            startedInLoss.add(started.token);
            startedInGap(started, gap.to());
        }
        if (!isNamed || started.parents.contains(partition.token)) {
            loseBefore(started, gap.to()); // it waits for the one that ended, so that none of it was read
            startedBy(started, gap);
        }
    }

    private boolean isReadAtEnd(PartitionToken partition) {
        return !world.isLostAtEnd(partition) && !neverRead.contains(partition);
    }

    private void loseBefore(SimulatedPartition partition, Instant to) {
        world.changesOf(partition.token).stream()
                .filter(change -> change.row().commitTimestamp().isBefore(to))
                .forEach(this::lose);
    }

    private void lose(Change change) {
        lost.add(change.identity());
        judge.skipped(change);
    }

    /** Returns whether the change will not be read by any process. */
    boolean isLost(Change change) {
        return lost.contains(change.identity());
    }

    /** Returns whether the partition ended in its own gap, so that nothing more of it can be read. */
    boolean endedInGap(SimulatedPartition partition) {
        return lossTo != null && partition.end.isBefore(gapEnd(partition));
    }

    /** Returns whether an arrival of keys is lost, or all that was in their source before. */
    boolean isLost(SimulatedPartition.Arrival arrival, PartitionToken destination) {
        return lossTo != null
                && (arrival.at().isBefore(gapEnds.getOrDefault(destination, Instant.MIN))
                        || neverRead.contains(arrival.source().token)
                        || isLostUpToItsEnd(arrival)
                        || (startedInLoss.contains(arrival.source().token)
                                && arrival.at().isBefore(gapEnd(arrival.source()))));
    }

    /** With immutable key ranges, a partition that is refused has nothing that is neither settled nor lost. */
    private boolean isLostUpToItsEnd(SimulatedPartition.Arrival arrival) {
        SimulatedPartition source = arrival.source();
        return !world.isMutable()
                && lossTo != null
                && !arrival.at().isAfter(lossTo)
                && world.isLost(source.token, source.start);
    }

    /** Returns whether the initial query at that time finds the partitions at the end of a gap. */
    boolean isGapEnd(PartitionToken token, Instant time) {
        return time.equals(gapEnds.get(token));
    }

    /** It is found at the end of the gap, if it lives then. */
    private void startedInGap(SimulatedPartition partition, Instant to) {
        loseBefore(partition, to);
        if (!partition.isLiving(to, world.isMutable())) {
            neverRead.add(partition.token);
            world.forget(partition.token);
        } else {
            tally.count(SimulationEvent.STARTED_IN_GAP);
        }
    }

    void snapshotAdded(Instant at, List<Change> added, CorrectionPlan plan) {
        rows = added;
        rowsAt = at;
        paused = true;
        judge.transactions.added(added);
        judge.storage.corrected(plan.written());
    }

    /** A worker lets the stream be read on. */
    void readOn(CorrectionPlan plan) {
        for (Change row : rows) {
            if (!judge.isDurable(row)) {
                throw judge.violated(
                        Promise.ORDER, "the stream is read on before %s", SimulationJudge.describe(row.row()));
            }
        }
        tally.count(SimulationEvent.READ_ON);
        paused = false;
        plan.written().forEach(partition -> {
            readOnAfter.put(partition.token(), partition.epoch());
            judge.order.readOn(partition.token(), partition.watermark());
        });
        judge.storage.corrected(plan.written());
    }

    /** Returns the latest commit timestamp of a change that was delivered. */
    Instant latestDelivered() {
        return latestDelivered;
    }

    /** Returns whether a partition ends before it can be read, as only records in a gap name it. */
    boolean isNeverRead(PartitionToken token) {
        return neverRead.contains(token);
    }

    /** Returns whether moves of keys at that time are in a gap of all partitions. */
    boolean isSkipped(Instant move) {
        return gapTo != null && world.isMutable() && move.isBefore(gapTo);
    }

    /** Returns the end of the gap of the partition; its own start if it has none. */
    Instant gapEnd(SimulatedPartition partition) {
        return gapEnds.getOrDefault(partition.token, partition.start);
    }

    /** Returns the time up to which the partition is read under a lease. */
    Instant endOf(PartitionLease lease) {
        boolean isPaused = paused || lease.epoch() <= readOnAfter.getOrDefault(lease.token(), -1L);
        return isPaused && rowsAt != null && !lease.token().isOfSnapshot() ? rowsAt : world.end;
    }

    /** A change is about to be consumed. */
    void requireOrder(Change change) {
        Instant at = change.row().commitTimestamp();
        latestDelivered = at.isAfter(latestDelivered) ? at : latestDelivered;
        if (rowsAt == null) {
            return;
        }
        boolean isRow = change.partition().token.isOfSnapshot();
        if (!isRow && !at.isAfter(rowsAt)) {
            return;
        }
        for (Change earlier : isRow ? List.copyOf(world.changes()) : rows) {
            boolean precedes = !isRow
                    || (!earlier.partition().token.isOfSnapshot()
                            && !earlier.row().commitTimestamp().isAfter(rowsAt));
            if (precedes && !judge.isDurable(earlier)) {
                throw judge.violated(
                        Promise.ORDER,
                        "%s overtakes %s, at an added snapshot as of %s",
                        SimulationJudge.describe(change.row()),
                        SimulationJudge.describe(earlier.row()),
                        rowsAt);
            }
        }
    }

    /** A transaction is settled without some of its changes. */
    void incomplete(String transaction, Instant commitTimestamp, MissingChanges missing) {
        boolean isInGap = gaps.stream()
                .anyMatch(gap -> !commitTimestamp.isBefore(gap.from()) && commitTimestamp.isBefore(gap.to()));
        MissingChanges expected = isInGap ? MissingChanges.GAP : MissingChanges.SETTLED_BEFORE;
        if (missing != expected) {
            throw judge.violated(
                    Promise.WHOLE,
                    "changes of %s at %s are missing, and the reason is said to be %s, and is %s",
                    transaction,
                    commitTimestamp,
                    missing,
                    expected);
        }
        tally.count(
                missing == MissingChanges.GAP
                        ? SimulationEvent.INCOMPLETE_IN_GAP
                        : SimulationEvent.INCOMPLETE_SETTLED_BEFORE);
    }
}
