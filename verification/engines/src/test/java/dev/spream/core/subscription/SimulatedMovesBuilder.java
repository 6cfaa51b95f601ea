package dev.spream.core.subscription;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.PartitionEndRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.PartitionStartRecord;
import dev.spream.core.subscription.SimulatedPartition.Arrival;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Draws a {@link SimulatedWorld} with mutable key ranges: sets of keys move between living partitions, into new ones and out
 * of those that end, several at one timestamp, between changes at that timestamp. A key moves once at a timestamp, and a
 * partition may take part in several moves: then keys move to partitions of a higher <em>rank</em> only, so that these moves
 * make no ring. A swap is one event of each partition, or two in either order. Some worlds last for hours, and are read
 * when they are over.
 */
final class SimulatedMovesBuilder {
    private static final long[] TICKS = {1_000_000L, 20_000_000L, 300_000_000L, 1_000_000_000L, 3_000_000_000L};
    private static final long LONG_TICK = 600_000_000_000L;
    private static final int LONG_ONE_IN = 5;

    private final RandomGenerator random;
    private final SimulationTally tally;
    private final SimulatedTransactions transactions;
    private final Map<PartitionToken, SimulatedPartition> partitions = new LinkedHashMap<>();
    private final List<ChangeRecord> roots = new ArrayList<>();

    // At the time of the latest moves.
    private final Set<SimulatedPartition> moved = new HashSet<>();
    private final Set<SimulatedPartition> received = new HashSet<>();
    private final Map<SimulatedPartition, Integer> ranks = new HashMap<>(); // of those that may move further keys
    private final Set<Integer> movedKeys = new HashSet<>();
    private final Set<List<SimulatedPartition>> pairs = new HashSet<>(); // between which keys moved

    private final int keys;
    private final long tick;
    private final int ticks;
    private final double changesPerTick;
    private final double churnPerTick;

    /** @param whole whether transactions are to be delivered whole */
    SimulatedMovesBuilder(RandomGenerator random, SimulationTally tally, boolean whole) {
        this.random = random;
        this.tally = tally;
        this.keys = 2 + random.nextInt(15);
        this.tick = random.nextInt(LONG_ONE_IN) == 0 ? LONG_TICK : TICKS[random.nextInt(TICKS.length)];
        this.ticks = 6 + random.nextInt(30);
        this.changesPerTick = 0.2 + random.nextDouble();
        this.churnPerTick = random.nextDouble(0.6);
        this.transactions = new SimulatedTransactions(random, keys, whole, (key, at) -> holderOf(key));
    }

    SimulatedWorld build() {
        Instant start = time(0);
        addRoots(start);
        for (int i = 0; i < ticks; i++) {
            commit(time(i).minusNanos(1), i == 0 ? 0 : changesPerTick / 5);
            if (i > 0 && random.nextDouble() < churnPerTick) {
                churn(time(i));
            }
            commit(time(i), changesPerTick);
            commit(time(i).plusNanos(1), changesPerTick / 5);
        }
        Instant end = time(ticks * 2 / 3 + random.nextInt(ticks / 3));
        return new SimulatedWorld(
                PartitionMode.MUTABLE_KEY_RANGE, start, end, partitions, roots, transactions.changes());
    }

    private void commit(Instant at, double expected) {
        transactions.commit(at, expected, true);
    }

    private Instant time(int index) {
        return SimulatedMachine.EPOCH.plusNanos(index * tick);
    }

    private void addRoots(Instant start) {
        int count = 1 + random.nextInt(Math.min(4, keys));
        List<Set<Integer>> parts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            parts.add(new TreeSet<>());
        }
        for (int key = 0; key < keys; key++) {
            parts.get(random.nextInt(count)).add(key);
        }
        List<SimulatedPartition> first =
                parts.stream().map(part -> add(part, start)).toList();
        boolean together = random.nextBoolean();
        for (SimulatedPartition partition : first) {
            if (!together) {
                roots.add(new PartitionStartRecord(
                        start, "%08d".formatted(roots.size()), List.of(partition.token.value())));
            }
        }
        if (together) {
            roots.add(new PartitionStartRecord(start, "0", names(first)));
        }
    }

    private SimulatedPartition add(Set<Integer> ofIt, Instant start) {
        PartitionToken token = new PartitionToken("p" + (partitions.size() + 1));
        SimulatedPartition partition = new SimulatedPartition(token, ofIt, start);
        partitions.put(token, partition);
        return partition;
    }

    private static List<String> names(Collection<SimulatedPartition> some) {
        return some.stream().map(partition -> partition.token.value()).toList();
    }

    private SimulatedPartition holderOf(int key) {
        return partitions.values().stream()
                .filter(partition -> partition.isLive() && partition.keys.contains(key))
                .findFirst()
                .orElseThrow();
    }

    /** Moves keys, between changes at the same timestamp. */
    private void churn(Instant at) {
        moved.clear();
        received.clear();
        ranks.clear();
        movedKeys.clear();
        pairs.clear();
        for (int events = 1 + random.nextInt(5); events > 0; events--) {
            commit(at, changesPerTick / 2);
            if (random.nextBoolean()) {
                moveAmongMoved(at);
                continue;
            }
            List<SimulatedPartition> live = live(at);
            if (live.isEmpty()) {
                return;
            }
            SimulatedPartition first = live.getFirst();
            SimulatedPartition second = live.size() > 1 ? live.get(1) : first;
            switch (random.nextInt(6)) {
                case 0 -> split(first, at);
                case 1 -> startWith(first, random.nextBoolean() ? someOf(first) : new TreeSet<>(first.keys), at);
                case 2, 3 -> move(live, at);
                case 4 -> {
                    if (first != second) {
                        swap(first, second, at);
                    }
                }
                default -> {
                    if (first != second) {
                        merge(first, second, at);
                    }
                }
            }
        }
    }

    /** The partitions that live then, did so before, and have not moved keys at that time, in any order. */
    private List<SimulatedPartition> live(Instant at) {
        return live(partition -> partition.start.isBefore(at) && !moved.contains(partition));
    }

    private List<SimulatedPartition> live(Predicate<SimulatedPartition> which) {
        List<SimulatedPartition> live = new ArrayList<>(partitions.values().stream()
                .filter(SimulatedPartition::isLive)
                .filter(which)
                .toList());
        Collections.shuffle(live, Random.from(random));
        return live;
    }

    /** Moves keys of partitions that may have moved others at the same timestamp. */
    private void moveAmongMoved(Instant at) {
        List<SimulatedPartition> live = live(partition ->
                ranks.containsKey(partition) || (partition.start.isBefore(at) && !moved.contains(partition)));
        if (live.size() < 2) {
            return;
        }
        switch (random.nextInt(6)) {
            case 0 -> ring(live, at);
            case 1 -> leave(live, at);
            default -> chain(live.get(0), live.get(1), at);
        }
    }

    /** Keys that did not move yet move from the lower rank to the higher one, once between the two. */
    private void chain(SimulatedPartition one, SimulatedPartition other, Instant at) {
        int rank = ranks.computeIfAbsent(one, partition -> random.nextInt());
        int otherRank = ranks.computeIfAbsent(other, partition -> random.nextInt());
        SimulatedPartition source = rank < otherRank ? one : other;
        SimulatedPartition destination = source == one ? other : one;
        if (rank == otherRank || pairs.contains(List.of(source, destination))) {
            return;
        }
        if (received.contains(source)) {
            tally.count(SimulationEvent.CHAIN);
        }
        Set<Integer> some = someOf(source);
        some.removeAll(movedKeys);
        movedKeys.addAll(some);
        pass(source, destination, some);
        event(source, List.of(), List.of(destination), at);
        event(destination, List.of(source), List.of(), at);
        arrive(source, List.of(destination), at);
        tally.count(SimulationEvent.MOVE_BETWEEN);
    }

    /** Three partitions of one rank pass keys on, with no change between their events. */
    private void ring(List<SimulatedPartition> live, Instant at) {
        List<SimulatedPartition> ring = live.stream()
                .filter(partition -> !moved.contains(partition))
                .limit(3)
                .toList();
        if (ring.size() < 3) {
            return;
        }
        int rank = random.nextInt();
        List<Set<Integer>> parts = ring.stream().map(this::someOf).toList();
        for (int i = 0; i < 3; i++) {
            SimulatedPartition next = ring.get((i + 1) % 3);
            ranks.put(next, rank);
            movedKeys.addAll(parts.get(i));
            pass(ring.get(i), next, parts.get(i));
            event(ring.get(i), List.of(), List.of(next), at);
            event(next, List.of(ring.get(i)), List.of(), at);
        }
        for (int i = 0; i < 3; i++) {
            arrive(ring.get(i), List.of(ring.get((i + 1) % 3)), at);
        }
        tally.count(SimulationEvent.RING);
    }

    /** A partition that received no keys at that time gives all that it has to new ones, and may end. */
    private void leave(List<SimulatedPartition> live, Instant at) {
        Optional<SimulatedPartition> leaving =
                live.stream().filter(partition -> !received.contains(partition)).findFirst();
        if (leaving.isEmpty()) {
            return;
        }
        SimulatedPartition parent = leaving.get();
        if (moved.contains(parent)) {
            tally.count(SimulationEvent.LEAVE_AFTER_MOVE);
        }
        movedKeys.addAll(parent.keys);
        ranks.computeIfAbsent(parent, partition -> random.nextInt());
        int before = partitions.size();
        if (random.nextBoolean()) {
            split(parent, at);
        } else {
            startWith(parent, new TreeSet<>(parent.keys), at);
        }
        partitions.values().stream().skip(before).forEach(child -> ranks.put(child, Integer.MAX_VALUE));
    }

    private Set<Integer> someOf(SimulatedPartition partition) {
        Set<Integer> some = new TreeSet<>();
        for (int key : partition.keys) {
            if (random.nextBoolean()) {
                some.add(key);
            }
        }
        return some;
    }

    private void split(SimulatedPartition parent, Instant at) {
        Set<Integer> left = someOf(parent);
        Set<Integer> right = new TreeSet<>(parent.keys);
        right.removeAll(left);
        List<SimulatedPartition> children = List.of(add(left, at), add(right, at));
        start(parent, children, at);
        parent.keys.clear();
        event(parent, List.of(), children, at);
        children.forEach(child -> event(child, List.of(parent), List.of(), at));
        arrive(parent, children, at);
        end(parent, at);
        tally.count(SimulationEvent.SPLIT);
    }

    /** Some or all keys of a partition move to a new one. */
    private void startWith(SimulatedPartition source, Set<Integer> some, Instant at) {
        SimulatedPartition child = add(some, at);
        start(source, List.of(child), at);
        source.keys.removeAll(child.keys);
        event(source, List.of(), List.of(child), at);
        event(child, List.of(source), List.of(), at);
        arrive(source, List.of(child), at);
        endIfEmpty(source, at);
        tally.count(SimulationEvent.MOVE);
    }

    private void merge(SimulatedPartition first, SimulatedPartition second, Instant at) {
        Set<Integer> all = new TreeSet<>(first.keys);
        all.addAll(second.keys);
        SimulatedPartition child = add(all, at);
        start(first, List.of(child), at);
        for (SimulatedPartition parent : List.of(first, second)) {
            parent.keys.clear();
            event(parent, List.of(), List.of(child), at);
        }
        event(child, List.of(first, second), List.of(), at);
        for (SimulatedPartition parent : List.of(first, second)) {
            arrive(parent, List.of(child), at);
            end(parent, at);
        }
        tally.count(SimulationEvent.MERGE);
    }

    /** Keys move between living partitions: from one to one or two, or from two to one. */
    private void move(List<SimulatedPartition> live, Instant at) {
        if (live.size() < 2) {
            return;
        }
        int several = live.size() > 2 ? random.nextInt(3) : 0;
        if (several == 2) {
            SimulatedPartition destination = live.get(2);
            List<SimulatedPartition> sources = live.subList(0, 2);
            for (SimulatedPartition source : sources) {
                pass(source, destination, random.nextBoolean() ? someOf(source) : Set.copyOf(source.keys));
                event(source, List.of(), List.of(destination), at);
            }
            event(destination, sources, List.of(), at);
            for (SimulatedPartition source : sources) {
                arrive(source, List.of(destination), at);
                endIfEmpty(source, at);
            }
        } else {
            SimulatedPartition source = live.getFirst();
            List<SimulatedPartition> destinations = live.subList(1, 2 + several);
            for (SimulatedPartition destination : destinations) {
                pass(source, destination, random.nextBoolean() ? someOf(source) : Set.copyOf(source.keys));
            }
            event(source, List.of(), destinations, at);
            destinations.forEach(destination -> event(destination, List.of(source), List.of(), at));
            arrive(source, destinations, at);
            endIfEmpty(source, at);
        }
        tally.count(SimulationEvent.MOVE_BETWEEN);
    }

    private static void pass(SimulatedPartition source, SimulatedPartition destination, Set<Integer> some) {
        source.keys.removeAll(some);
        destination.keys.addAll(some);
    }

    private void swap(SimulatedPartition one, SimulatedPartition other, Instant at) {
        Set<Integer> ofOne = someOf(one);
        Set<Integer> ofOther = someOf(other);
        pass(one, other, ofOne);
        pass(other, one, ofOther);
        exchange(one, other, at);
        exchange(other, one, at);
        arrive(one, List.of(other), at);
        arrive(other, List.of(one), at);
        tally.count(SimulationEvent.SWAP);
    }

    /** In one event, or in two, in either order. */
    private void exchange(SimulatedPartition one, SimulatedPartition other, Instant at) {
        switch (random.nextInt(3)) {
            case 0 -> event(one, List.of(other), List.of(other), at);
            case 1 -> {
                event(one, List.of(other), List.of(), at);
                event(one, List.of(), List.of(other), at);
            }
            default -> {
                event(one, List.of(), List.of(other), at);
                event(one, List.of(other), List.of(), at);
            }
        }
    }

    private void start(SimulatedPartition parent, List<SimulatedPartition> children, Instant at) {
        if (random.nextBoolean()) {
            parent.records.add(new PartitionStartRecord(at, transactions.nextSequence(at), names(children)));
            return;
        }
        for (SimulatedPartition child : children) {
            parent.records.add(new PartitionStartRecord(at, transactions.nextSequence(at), names(List.of(child))));
        }
    }

    private void event(
            SimulatedPartition partition,
            Collection<SimulatedPartition> sources,
            Collection<SimulatedPartition> destinations,
            Instant at) {
        moved.add(partition);
        destinations.forEach(destination -> pairs.add(List.of(partition, destination)));
        if (!sources.isEmpty()) {
            received.add(partition);
        }
        partition.records.add(new PartitionEventRecord(
                at, transactions.nextSequence(at), partition.token.value(), names(sources), names(destinations)));
    }

    /** Notes which records of the source, up to its latest event, those of the destinations follow. */
    private static void arrive(SimulatedPartition source, List<SimulatedPartition> destinations, Instant at) {
        int departure = latestEvent(source, destinations.getFirst());
        for (SimulatedPartition destination : destinations) {
            destination.arrivals.add(new Arrival(destination.records.size(), source, departure, at, false));
        }
    }

    private static int latestEvent(SimulatedPartition source, SimulatedPartition destination) {
        for (int i = source.records.size() - 1; i >= 0; i--) {
            if (source.records.get(i) instanceof PartitionEventRecord event
                    && event.moveOutDestinations().contains(destination.token.value())) {
                return i;
            }
        }
        throw new IllegalStateException("%s has no event with %s".formatted(source, destination));
    }

    private void endIfEmpty(SimulatedPartition source, Instant at) {
        if (source.keys.isEmpty() && random.nextInt(3) > 0) {
            end(source, at);
            tally.count(SimulationEvent.END_AFTER_MOVE);
        }
    }

    private void end(SimulatedPartition partition, Instant at) {
        partition.end = at;
        partition.records.add(new PartitionEndRecord(at, transactions.nextSequence(at), partition.token.value()));
    }
}
