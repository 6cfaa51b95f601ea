package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Draws a {@link SimulatedWorld} with immutable key ranges. Ranges of keys are split, merged and moved from partition to partition, so that each key
 * is in exactly one of them at a time; transactions change some keys, in several records, of several rows, in several
 * partitions. Everything happens on a coarse grid of times, give or take a nanosecond, so that what may coincide does.
 */
final class SimulatedWorldBuilder {
    private static final long[] TICKS = {1_000_000L, 20_000_000L, 300_000_000L, 1_000_000_000L, 3_000_000_000L};

    private final RandomGenerator random;
    private final SimulationTally tally;
    private final Map<PartitionToken, SimulatedPartition> partitions = new LinkedHashMap<>();
    private final List<ChangeRecord> roots = new ArrayList<>();
    private final SimulatedTransactions transactions;
    private final int keys;
    private final long tick;
    private final int ticks;
    private final double changesPerTick;
    private final double churnPerTick;

    /** @param whole whether transactions are to be delivered whole */
    SimulatedWorldBuilder(RandomGenerator random, SimulationTally tally, boolean whole) {
        this.random = random;
        this.tally = tally;
        this.keys = 2 + random.nextInt(15);
        this.tick = TICKS[random.nextInt(TICKS.length)];
        this.ticks = 6 + random.nextInt(30);
        this.changesPerTick = 0.2 + random.nextDouble();
        this.churnPerTick = random.nextDouble(0.6);
        this.transactions = new SimulatedTransactions(random, keys, whole, this::holderOf);
    }

    SimulatedWorld build() {
        Instant start = time(0);
        addRoots(start);
        for (int i = 0; i < ticks; i++) {
            transactions.commit(time(i).minusNanos(1), i == 0 ? 0 : changesPerTick / 5);
            if (i > 0 && random.nextDouble() < churnPerTick) {
                churn(time(i));
            }
            transactions.commit(time(i), changesPerTick);
            transactions.commit(time(i).plusNanos(1), changesPerTick / 5);
        }
        Instant end = time(ticks * 2 / 3 + random.nextInt(ticks / 3));
        return new SimulatedWorld(
                PartitionMode.IMMUTABLE_KEY_RANGE, start, end, partitions, roots, transactions.changes());
    }

    private Instant time(int index) {
        return SimulatedMachine.EPOCH.plusNanos(index * tick);
    }

    private void addRoots(Instant start) {
        int count = 1 + random.nextInt(Math.min(4, keys));
        List<ChildPartition> children = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            children.add(add(List.of(), keys * i / count, keys * (i + 1) / count, start)
                    .asChild());
        }
        roots.addAll(inRecords(start, children));
    }

    private SimulatedPartition add(List<SimulatedPartition> parents, int firstKey, int endKey, Instant start) {
        PartitionToken token = new PartitionToken("p" + (partitions.size() + 1));
        SimulatedPartition partition = new SimulatedPartition(
                token, parents.stream().map(parent -> parent.token).toList(), firstKey, endKey, start);
        partitions.put(token, partition);
        return partition;
    }

    /** In one record, or in several that follow each other. */
    private List<ChildPartitionsRecord> inRecords(Instant start, List<ChildPartition> children) {
        if (random.nextBoolean()) {
            return List.of(new ChildPartitionsRecord(start, "0", children));
        }
        List<ChildPartitionsRecord> records = new ArrayList<>();
        for (ChildPartition child : children) {
            records.add(new ChildPartitionsRecord(start, Integer.toString(records.size()), List.of(child)));
        }
        return records;
    }

    private void churn(Instant at) {
        for (int events = 1 + random.nextInt(2); events > 0; events--) {
            List<SimulatedPartition> live = live(at);
            if (live.isEmpty()) {
                return;
            }
            int index = random.nextInt(live.size());
            SimulatedPartition first = live.get(index);
            switch (random.nextInt(3)) {
                case 0 -> split(first, at);
                case 1 -> move(first, at);
                default -> {
                    if (index + 1 < live.size() && live.get(index + 1).firstKey == first.endKey) {
                        merge(first, live.get(index + 1), at);
                    }
                }
            }
        }
    }

    /** The partitions that live then, and did so before, in the order of their keys. */
    private List<SimulatedPartition> live(Instant at) {
        return partitions.values().stream()
                .filter(partition -> partition.isLive() && partition.start.isBefore(at))
                .sorted(Comparator.comparingInt(partition -> partition.firstKey))
                .toList();
    }

    private void split(SimulatedPartition parent, Instant at) {
        int width = parent.endKey - parent.firstKey;
        int middle = parent.firstKey + (width < 2 ? width : 1 + random.nextInt(width - 1));
        SimulatedPartition left = add(List.of(parent), parent.firstKey, middle, at);
        SimulatedPartition right = add(List.of(parent), middle, parent.endKey, at);
        end(parent, at, List.of(left.asChild(), right.asChild()));
        tally.count(SimulationEvent.SPLIT);
    }

    private void move(SimulatedPartition parent, Instant at) {
        SimulatedPartition child = add(List.of(parent), parent.firstKey, parent.endKey, at);
        end(parent, at, List.of(child.asChild()));
        tally.count(SimulationEvent.MOVE);
    }

    private void merge(SimulatedPartition left, SimulatedPartition right, Instant at) {
        SimulatedPartition child = add(List.of(left, right), left.firstKey, right.endKey, at);
        end(left, at, List.of(child.asChild()));
        end(right, at, List.of(child.asChild()));
        tally.count(SimulationEvent.MERGE);
    }

    private void end(SimulatedPartition partition, Instant at, List<ChildPartition> children) {
        partition.end = at;
        partition.records.addAll(inRecords(at, children));
        children.forEach(child -> requireNonNull(partitions.get(new PartitionToken(child.token())))
                .arrivals
                .add(new SimulatedPartition.Arrival(0, partition, Integer.MAX_VALUE, at, true)));
    }

    private SimulatedPartition holderOf(int key, Instant at) {
        return partitions.values().stream()
                .filter(partition -> partition.isLive()
                        && !partition.start.isAfter(at)
                        && key >= partition.firstKey
                        && key < partition.endKey)
                .findFirst()
                .orElseThrow();
    }
}
