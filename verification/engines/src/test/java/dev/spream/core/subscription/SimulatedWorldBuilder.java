package dev.spream.core.subscription;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Draws a {@link SimulatedWorld}. Ranges of keys are split, merged and moved from partition to partition, so that each key
 * is in exactly one of them at a time; transactions change some keys, in several records, of several rows, in several
 * partitions. Everything happens on a coarse grid of times, give or take a nanosecond, so that what may coincide does.
 */
final class SimulatedWorldBuilder {
    private static final long[] TICKS = {1_000_000L, 20_000_000L, 300_000_000L, 1_000_000_000L, 3_000_000_000L};

    private final RandomGenerator random;
    private final SimulationTally tally;
    private final Map<PartitionToken, SimulatedPartition> partitions = new LinkedHashMap<>();
    private final List<ChildPartitionsRecord> roots = new ArrayList<>();
    private final int keys;
    private final long tick;
    private final int ticks;
    private final double changesPerTick;
    private final double churnPerTick;
    private int transactions;

    SimulatedWorldBuilder(RandomGenerator random, SimulationTally tally) {
        this.random = random;
        this.tally = tally;
        this.keys = 2 + random.nextInt(15);
        this.tick = TICKS[random.nextInt(TICKS.length)];
        this.ticks = 6 + random.nextInt(30);
        this.changesPerTick = 0.2 + random.nextDouble();
        this.churnPerTick = random.nextDouble(0.6);
    }

    SimulatedWorld build() {
        Instant start = time(0);
        addRoots(start);
        for (int i = 0; i < ticks; i++) {
            change(time(i).minusNanos(1), i == 0 ? 0 : changesPerTick / 5);
            if (i > 0 && random.nextDouble() < churnPerTick) {
                churn(time(i));
            }
            change(time(i), changesPerTick);
            change(time(i).plusNanos(1), changesPerTick / 5);
        }
        Instant end = time(ticks * 2 / 3 + random.nextInt(ticks / 3));
        return new SimulatedWorld(start, end, partitions, roots);
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
        partition.childRecords.addAll(inRecords(at, children));
    }

    /** Transactions at that time, of different keys, as their locks see to. */
    private void change(Instant at, double expected) {
        Set<Integer> free = new HashSet<>();
        for (int key = 0; key < keys; key++) {
            free.add(key);
        }
        for (double left = expected; left > 0 && random.nextDouble() < left; left -= 0.5) {
            commit(at, free);
        }
    }

    private void commit(Instant at, Set<Integer> free) {
        String transaction = "t%03d-%d".formatted(random.nextInt(1000), transactions++);
        Set<Integer> mine = new HashSet<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            int key = random.nextInt(keys);
            if (free.remove(key)) {
                mine.add(key);
            }
        }
        if (mine.isEmpty()) {
            return;
        }
        List<Integer> ordered = mine.stream().sorted().toList();
        int records = 1 + random.nextInt(4);
        for (int sequence = 0; sequence < records; sequence++) {
            int key = ordered.get(random.nextInt(ordered.size()));
            SimulatedPartition partition = holderOf(key, at);
            List<Integer> rows = ordered.stream()
                    .filter(other -> other == key
                            || (other >= partition.firstKey && other < partition.endKey && random.nextInt(3) == 0))
                    .toList();
            partition.changes.add(row(at, transaction, sequence, rows));
        }
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

    private static DataChangeRecord row(Instant at, String transaction, int sequence, List<Integer> keys) {
        return new DataChangeRecord(
                at,
                "%08d".formatted(sequence),
                transaction,
                false,
                "Accounts",
                List.of(),
                keys.stream()
                        .map(key -> new Mod(
                                JsonObject.of(Map.of("Id", Integer.toString(key))), JsonObject.EMPTY, JsonObject.EMPTY))
                        .toList(),
                "UPDATE",
                "NEW_VALUES",
                1,
                1,
                "",
                false);
    }
}
