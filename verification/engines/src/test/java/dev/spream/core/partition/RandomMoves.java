package dev.spream.core.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
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
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A change stream with mutable key ranges whose partitions start, end and move keys to each other, and that is read to its
 * end, partition by partition in any order, with crashes and clean-up between. What moves when is known beforehand.
 *
 * <p>A reader stores the partitions that a time names, then its move-outs, and then that it waits: a partition that waits
 * has nothing left that others wait for.
 */
final class RandomMoves {
    /** All records of one partition at one time. */
    static final class Event {
        final Set<String> started = new TreeSet<>();
        final Set<String> sources = new TreeSet<>();
        final Set<String> destinations = new TreeSet<>();
    }

    /** A partition as Spanner knows it. */
    static final class Span {
        final String token;
        final long start;
        final TreeMap<Long, Event> events = new TreeMap<>();
        long end = END;

        Span(String token, long start) {
            this.token = token;
            this.start = start;
        }

        Event at(long time) {
            return events.computeIfAbsent(time, t -> new Event());
        }
    }

    private static final long END = 40; // of the subscription

    final Map<String, Span> stream = new LinkedHashMap<>();
    final InMemoryFixture fixture = new InMemoryFixture();
    final PartitionStorage storage = fixture.storage();
    final Map<String, PartitionLease> held = new HashMap<>();
    final Set<String> finished = new HashSet<>();
    private final Set<String> taken = new HashSet<>(); // held ones whose records at the watermark were taken
    private final Random random;
    private Runnable check = () -> {};

    RandomMoves(Random random) {
        this.random = random;
        for (int i = 0; i < 2 + random.nextInt(3); i++) {
            start("p" + i, 0);
        }
        for (long time = 1; time < END; time++) {
            change(time);
        }
    }

    private Span start(String token, long time) {
        Span span = new Span(token, time);
        stream.put(token, span);
        return span;
    }

    private void change(long time) {
        List<Span> alive = new ArrayList<>(stream.values().stream()
                .filter(span -> span.start < time && span.end == END)
                .toList());
        Collections.shuffle(alive, random);
        Span first = alive.getFirst();
        switch (random.nextInt(5)) {
            case 0 -> { // a new partition, named by any
                Span started = start("p" + stream.size(), time);
                first.at(time).started.add(started.token);
                alive.stream().skip(random.nextInt(2)).limit(2).forEach(source -> move(source, started, time));
            }
            case 1 -> { // an end
                if (alive.size() > 2) {
                    move(first, alive.get(1), time);
                    move(first, alive.getLast(), time);
                    first.end = time;
                }
            }
            case 2 -> { // a swap, or a ring
                int count = Math.min(alive.size(), 2 + random.nextInt(2));
                for (int i = 0; i < count && count > 1; i++) {
                    move(alive.get(i), alive.get((i + 1) % count), time);
                }
            }
            case 3 -> alive.stream().skip(1).limit(2).forEach(other -> move(other, first, time)); // a merge
            default -> {} // nothing
        }
    }

    private void move(Span source, Span destination, long time) {
        if (source != destination) {
            source.at(time).destinations.add(destination.token);
            destination.at(time).sources.add(source.token);
        }
    }

    /** Reads the stream to its end, and checks after each write. */
    void readToItsEnd(Runnable afterEach) {
        check = afterEach;
        storage.openSubscription(new SubscriptionRecord(
                "Orders", at(0), Optional.of(at(END)), LEASE, PartitionMode.MUTABLE_KEY_RANGE, false));
        readRoot();
        for (int step = 0; !storage.lineage().isComplete(); step++) {
            assertThat(step)
                    .as("steps without an end: %s", storage.lineage().partitions())
                    .isLessThan(20_000);
            switch (random.nextInt(12)) {
                case 0 -> crash();
                case 1 -> storage.cleanUp(Instant.MAX);
                case 2, 3, 4 -> acquireAny();
                default -> readAny();
            }
            check.run();
        }
        assertThat(storage.completeIfAllFinished()).isTrue();
    }

    private void readRoot() {
        acquire(PartitionToken.ROOT.value());
        List<String> first = stream.values().stream()
                .filter(span -> span.start == 0)
                .map(span -> span.token)
                .toList();
        PartitionLease root = lease(PartitionToken.ROOT.value());
        add(root, 0, first);
        assertThat(storage.finish(
                        root,
                        at(0),
                        PartitionEnd.childPartitions(
                                at(0), first.stream().map(PartitionToken::new).toList())))
                .isTrue();
        held.clear();
    }

    private void crash() {
        if (random.nextInt(4) == 0) { // the whole process
            storage.release(held.values());
            held.clear();
            taken.clear();
        } else if (!held.isEmpty()) {
            drop(anyOf(held.keySet()));
        }
    }

    private void drop(String token) {
        storage.release(List.of(lease(token)));
        held.remove(token);
        taken.remove(token);
    }

    private void acquireAny() {
        List<PartitionMetadata> claimable = storage.frontier().claimable();
        if (!claimable.isEmpty()) {
            acquire(claimable.get(random.nextInt(claimable.size())).token().value());
        }
    }

    private void acquire(String token) {
        PartitionMetadata stored = stored(token).orElseThrow();
        List<PartitionLease> leases =
                storage.acquire(ANN, List.of(PartitionClaim.of(stored)), LEASE.multipliedBy(1_000));
        held.put(token, leases.getFirst());
        assertThat(storage.markRunning(leases.getFirst())).isTrue();
    }

    private void readAny() {
        if (!held.isEmpty()) {
            read(anyOf(held.keySet()));
        }
    }

    private void read(String token) {
        PartitionMetadata stored = stored(token).orElseThrow();
        Span span = spanOf(token);
        long watermark = secondsOf(stored.watermark());
        if (taken.add(token) && span.events.containsKey(watermark)) {
            take(lease(token), span.at(watermark), watermark);
            return;
        }
        if (!storage.frontier().awaitedSources(stored).isEmpty()) {
            return;
        }
        if (watermark == span.end) {
            finish(lease(token), span);
            return;
        }
        Long next = span.events.higherKey(watermark);
        long limit = next == null ? span.end : next;
        long to = watermark + 1 + random.nextLong(limit - watermark);
        assertThat(storage.advanceWatermarks(List.of(new WatermarkAdvance(lease(token), at(to)))))
                .isEmpty();
        taken.remove(token);
    }

    /** Takes the records of a time; the process may end after any write. */
    private void take(PartitionLease lease, Event event, long time) {
        if (!event.started.isEmpty()) {
            add(lease, time, event.started);
        }
        for (String destination : event.destinations) {
            MoveOuts moveOuts = new MoveOuts("1", List.of(new PartitionToken(destination)));
            assertThat(storage.advanceWatermarks(List.of(new WatermarkAdvance(lease, at(time), Optional.of(moveOuts)))))
                    .isEmpty();
            check.run();
            if (random.nextInt(10) == 0) {
                drop(lease.token().value());
                return;
            }
        }
        if (!event.sources.isEmpty()) {
            List<PartitionToken> sources =
                    event.sources.stream().map(PartitionToken::new).toList();
            assertThat(storage.waitForMoveIn(lease, new MoveIn(at(time), sources)))
                    .isTrue();
        }
    }

    private void finish(PartitionLease lease, Span span) {
        PartitionEnd proof = span.end == END
                ? PartitionEnd.boundedEnd(at(END))
                : PartitionEnd.partitionEnd(
                        at(span.end),
                        span.at(span.end).destinations.stream()
                                .map(PartitionToken::new)
                                .toList());
        assertThat(storage.finish(lease, at(span.end), proof)).isTrue();
        held.remove(span.token);
        taken.remove(span.token);
        finished.add(span.token);
    }

    private void add(PartitionLease parent, long time, Collection<String> tokens) {
        assertThat(storage.addChildren(
                        parent,
                        new ChildPartitionsRecord(
                                at(time),
                                "0",
                                tokens.stream()
                                        .map(token -> new ChildPartition(token, List.of()))
                                        .toList())))
                .isTrue();
    }

    Optional<PartitionMetadata> stored(String token) {
        return storage.lineage().partition(new PartitionToken(token));
    }

    private Span spanOf(String token) {
        Span span = stream.get(token);
        if (span == null) {
            throw new IllegalStateException("no span " + token);
        }
        return span;
    }

    private PartitionLease lease(String token) {
        PartitionLease lease = held.get(token);
        if (lease == null) {
            throw new IllegalStateException("not held: " + token);
        }
        return lease;
    }

    private static long secondsOf(Instant watermark) {
        return watermark.getEpochSecond() - at(0).getEpochSecond();
    }

    private String anyOf(Set<String> tokens) {
        List<String> sorted = tokens.stream().sorted().toList();
        return sorted.get(random.nextInt(sorted.size()));
    }
}
