package dev.spream.core.subscription;

import dev.spream.core.consume.Ordering;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.subscription.SimulatedPartition.Arrival;
import dev.spream.core.subscription.SimulationViolation.Promise;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of the {@link SimulationJudge} that checks the order over partitions. Keys that arrive in a partition follow
 * those that were there before, of their sources, up to their departure ({@link Arrival}). An arrival is <em>over</em> when
 * the storage has the source as settled up to the departure. Until then, changes after it may be consumed only in a process
 * that holds the source too, and the watermark may not pass it.
 */
final class JudgedOrder {

    /** The progress of a partition as the storage has it. */
    private static final class Stored {
        private @Nullable Instant watermark;
        private final Set<PartitionToken> movedTo = new HashSet<>();
        private boolean finished;

        private void advance(WatermarkAdvance advance) {
            Instant before = watermark;
            if (before != null && advance.watermark().isBefore(before)) {
                return;
            }
            if (!advance.watermark().equals(before)) {
                movedTo.clear();
            }
            watermark = advance.watermark();
            advance.moveOuts().ifPresent(moved -> movedTo.addAll(moved.destinations()));
        }
    }

    private final SimulationJudge judge;
    private final SimulatedWorld world;
    private final Ordering ordering;
    private final SimulationTally tally;
    private final Map<PartitionToken, Stored> stored = new HashMap<>();
    private final Set<PartitionToken> discovered = new HashSet<>();

    JudgedOrder(SimulationJudge judge, SimulatedWorld world, Ordering ordering, SimulationTally tally) {
        this.judge = judge;
        this.world = world;
        this.ordering = ordering;
        this.tally = tally;
    }

    // The storage.

    void advanced(WatermarkAdvance advance) {
        stored(advance.lease().token()).advance(advance);
        if (advance.moveOuts().isPresent()) {
            tally.count(SimulationEvent.MOVE_OUT_STORED);
        }
    }

    void finished(PartitionToken token) {
        stored(token).finished = true;
    }

    void discovered(List<PartitionToken> tokens) {
        discovered.addAll(tokens);
    }

    private Stored stored(PartitionToken token) {
        return stored.computeIfAbsent(token, t -> new Stored());
    }

    boolean isDiscovered(PartitionToken token) {
        return discovered.contains(token);
    }

    /** The partition is read from that time on. */
    void skipped(PartitionToken token, Instant to) {
        Stored skipping = stored(token);
        skipping.watermark = to;
        skipping.movedTo.clear();
    }

    /** A partition that was finished at an added snapshot is not any more. */
    void readOn(PartitionToken token, Instant from) {
        skipped(token, from);
        stored(token).finished = false;
    }

    boolean isOver(Arrival arrival, PartitionToken destination) {
        if (judge.corrections.isSkipped(arrival.at()) || judge.corrections.isLost(arrival, destination)) {
            return true;
        }
        Stored source = stored.get(arrival.source().token);
        if (source == null || source.finished) {
            return source != null;
        }
        Instant watermark = source.watermark;
        return !arrival.atEnd()
                && watermark != null
                && (watermark.isAfter(arrival.at())
                        || (watermark.equals(arrival.at()) && source.movedTo.contains(destination)));
    }

    /** Returns whether arrivals matter: moved keys only where an order was asked for, parents in any case. */
    private boolean matters(Arrival arrival) {
        return arrival.atEnd() || ordering != Ordering.NONE;
    }

    /** A watermark is about to be stored: it does not pass what is not over, nor partitions that were not stored. */
    void requireOver(PartitionToken token, Instant watermark) {
        SimulatedPartition partition = world.partition(token);
        if (partition == null) {
            return;
        }
        for (Arrival arrival : partition.arrivals) {
            if (arrival.at().isBefore(watermark) && matters(arrival) && !isOver(arrival, token)) {
                throw judge.violated(
                        Promise.ORDER,
                        "the watermark of %s is stored as %s, past keys from %s of %s, which is not stored as settled up to their departure",
                        token,
                        watermark,
                        arrival.source().token,
                        arrival.at());
            }
        }
        partition.records.stream()
                .takeWhile(row -> row.timestamp().isBefore(watermark))
                .flatMap(row -> SimulatedPartition.started(row).stream())
                .filter(started -> !discovered.contains(started) && !judge.corrections.isNeverRead(started))
                .findFirst()
                .ifPresent(started -> {
                    throw judge.violated(
                            Promise.PROVEN_END,
                            "the watermark of %s is stored as %s, past the start of %s, which is not stored",
                            token,
                            watermark,
                            started);
                });
    }

    /** A partition is about to be finished, and was read up to that time, if it did not end before. */
    void requireAllOver(PartitionToken token, Instant end) {
        SimulatedPartition partition = world.partition(token);
        if (partition == null) {
            return;
        }
        for (Arrival arrival : partition.arrivals) {
            if (!arrival.at().isAfter(end) && matters(arrival) && !isOver(arrival, token)) {
                throw judge.violated(
                        Promise.ORDER,
                        "%s is finished before %s, where keys of it came from at %s, is stored as settled up to their departure",
                        token,
                        arrival.source().token,
                        arrival.at());
            }
        }
    }

    /** Move-outs are about to be stored: they are of that time, and what is stored says which they are. */
    void requireMovedOut(PartitionLease lease, Instant watermark, MoveOuts moved) {
        SimulatedPartition partition = world.partition(lease.token());
        Set<PartitionToken> destinations = new HashSet<>();
        if (partition != null) {
            partition.records.stream()
                    .filter(row -> row.timestamp().equals(watermark))
                    .filter(PartitionEventRecord.class::isInstance)
                    .map(PartitionEventRecord.class::cast)
                    .filter(event -> event.recordSequence().compareTo(moved.recordSequence()) <= 0)
                    .forEach(event ->
                            event.moveOutDestinations().forEach(name -> destinations.add(new PartitionToken(name))));
        }
        if (!destinations.containsAll(moved.destinations())) {
            throw judge.violated(
                    Promise.ORDER,
                    "%s is stored for %s at %s; its keys went to %s",
                    moved,
                    lease,
                    watermark,
                    destinations);
        }
    }

    /** A wait is about to be stored: keys did move in then. */
    void requireMovedIn(PartitionLease lease, MoveIn moveIn) {
        SimulatedPartition partition = world.partition(lease.token());
        boolean happened = partition != null
                && partition.records.stream()
                        .filter(PartitionEventRecord.class::isInstance)
                        .map(PartitionEventRecord.class::cast)
                        .anyMatch(event -> event.commitTimestamp().equals(moveIn.timestamp())
                                && event.moveInSources()
                                        .equals(moveIn.sources().stream()
                                                .map(PartitionToken::value)
                                                .toList()));
        if (!happened) {
            throw judge.violated(Promise.ORDER, "%s is stored for %s, which is not what happened", moveIn, lease);
        }
    }

    // The consumer.

    /** A change is about to be consumed: the sources of keys that arrived before it are settled, or held here. */
    void requireSources(SimulatedProcess process, JudgedRun run, JudgedHold hold, SimulatedWorld.Change change) {
        if (ordering == Ordering.NONE || change.partition().arrivals.isEmpty()) {
            return;
        }
        if (requireSources(
                process, run, hold, change, change.partition(), change.position(), Instant.MAX, new HashSet<>())) {
            tally.count(SimulationEvent.CALL_AHEAD);
        }
        if (ordering == Ordering.PARTITION) {
            requireSettled(run, change);
        }
    }

    /** @param before a key moves once at a timestamp, so that those that left a partition then had come there before */
    private boolean requireSources(
            SimulatedProcess process,
            JudgedRun run,
            JudgedHold hold,
            SimulatedWorld.Change change,
            SimulatedPartition partition,
            int position,
            Instant before,
            Set<Arrival> seen) {
        boolean ahead = false;
        for (Arrival arrival : partition.arrivals) {
            if (arrival.position() > position
                    || !arrival.at().isBefore(before)
                    || isOver(arrival, partition.token)
                    || !seen.add(arrival)) {
                continue;
            }
            JudgedHold source = run.holds.get(arrival.source().token);
            if (source == null || source.released || process.lastAwake() >= source.leaseUntil) {
                throw judge.violated(
                        Promise.ORDER,
                        "%s is consumed by %s while %s, where keys of %s came from at %s, is neither settled up to then nor held there",
                        SimulationJudge.describe(change.row()),
                        process,
                        arrival.source().token,
                        partition.token,
                        arrival.at());
            }
            ahead = true;
            hold.ahead.put(source, () -> isOver(arrival, partition.token));
            requireSources(process, run, hold, change, arrival.source(), arrival.departure(), arrival.at(), seen);
        }
        return ahead;
    }

    /** Everything before the departure precedes the change, with the order of partitions. */
    private void requireSettled(JudgedRun run, SimulatedWorld.Change change) {
        for (Arrival arrival : change.partition().arrivals) {
            if (arrival.position() > change.position()) {
                continue;
            }
            for (SimulatedWorld.Change earlier : world.changesOf(arrival.source().token)) {
                if (earlier.position() < arrival.departure()
                        && !judge.isDurable(earlier)
                        && !run.settled.contains(earlier.identity())) {
                    throw judge.violated(
                            Promise.ORDER,
                            "%s overtakes %s of %s, where its keys came from",
                            SimulationJudge.describe(change.row()),
                            SimulationJudge.describe(earlier.row()),
                            arrival.source().token);
                }
            }
        }
    }
}
