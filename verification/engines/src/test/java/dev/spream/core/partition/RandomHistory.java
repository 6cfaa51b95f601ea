package dev.spream.core.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.SUBSCRIPTION;
import static dev.spream.testkit.partition.StorageScenario.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * A change stream that splits, merges and moves, and is read to its end, partition by partition in any order, with crashes
 * and clean-up between. What the stream's partitions are is known beforehand.
 */
final class RandomHistory {
    /** A partition as Spanner knows it: where it starts and ends, and what it continues. */
    record Span(String token, long start, long end, List<String> parents) {}

    private static final long END = 3_600; // of the subscription

    final Map<String, Span> stream = new LinkedHashMap<>();
    final PartitionStorage storage = new InMemoryFixture().storage();
    final Map<String, PartitionLease> held = new HashMap<>();
    final Set<String> finished = new HashSet<>();
    private final Random random;

    RandomHistory(Random random) {
        this.random = random;
        divide();
    }

    /** Divides the keys anew, step by step: some partitions end, and others continue them. */
    private void divide() {
        Map<String, Span> alive = new LinkedHashMap<>();
        int names = 0;
        for (int i = 0; i < 1 + random.nextInt(4); i++) {
            String token = "p" + names++;
            alive.put(token, new Span(token, 0, Long.MAX_VALUE, List.of()));
        }
        for (long time = 2; time < 14; time++) {
            List<String> ending = new ArrayList<>(alive.keySet());
            Collections.shuffle(ending, random);
            ending = ending.subList(0, Math.min(ending.size(), 1 + random.nextInt(3)));
            for (String token : ending) {
                Span span = alive.remove(token);
                if (span != null) {
                    stream.put(token, new Span(token, span.start(), time, span.parents()));
                }
            }
            List<List<String>> continued = random.nextBoolean()
                    ? List.of(List.copyOf(ending))
                    : ending.stream().map(List::of).toList();
            for (List<String> parents : continued) {
                for (int i = 0; i < 1 + random.nextInt(2); i++) {
                    String token = "p" + names++;
                    alive.put(token, new Span(token, time, Long.MAX_VALUE, parents));
                }
            }
        }
        alive.values()
                .forEach(span -> stream.put(span.token(), new Span(span.token(), span.start(), END, span.parents())));
    }

    /** Reads the stream to its end, and checks after each step. */
    void readToItsEnd(Runnable check) {
        storage.openSubscription(SUBSCRIPTION);
        acquire("Parent0");
        for (int step = 0; !storage.lineage().isComplete(); step++) {
            assertThat(step).as("steps without an end: %s", held.keySet()).isLessThan(5_000);
            switch (random.nextInt(8)) {
                case 0 -> crash();
                case 1 -> storage.cleanUp(Instant.MAX);
                case 2, 3 -> advanceOne();
                case 4, 5 -> finishOne();
                default -> acquireOne();
            }
            check.run();
            if (storage.lineage().partitions().isEmpty()) {
                break;
            }
        }
        assertThat(finished).containsAll(stream.keySet()).hasSize(stream.size() + 1);
        assertThat(storage.completeIfAllFinished()).isTrue();
    }

    List<String> parentsOf(String token) {
        Span span = stream.get(token);
        return span == null ? List.of() : span.parents();
    }

    private void acquireOne() {
        List<PartitionMetadata> claimable = storage.lineage().claimable();
        if (!claimable.isEmpty()) {
            acquire(claimable.get(random.nextInt(claimable.size())).token().value());
        }
    }

    private void acquire(String token) {
        PartitionClaim claim = PartitionClaim.of(
                storage.lineage().partition(new PartitionToken(token)).orElseThrow());
        PartitionLease lease = storage.acquire(ANN, List.of(claim), LEASE).getFirst();
        storage.markRunning(lease);
        held.put(token, lease);
    }

    private void crash() {
        storage.release(held.values());
        held.clear();
    }

    private void advanceOne() {
        String token = anyHeld();
        Span span = stream.get(token);
        if (span != null) {
            long to = span.start() + random.nextLong(span.end() - span.start() + 1);
            storage.advanceWatermarks(List.of(new WatermarkAdvance(lease(token), at(to))));
        }
    }

    /** Reads a partition to its end: its children are added, some twice, and then it is finished. */
    private void finishOne() {
        String token = anyHeld();
        if (token.isEmpty()) {
            return;
        }
        boolean root = token.equals(PartitionToken.ROOT.value());
        List<Span> children = stream.values().stream()
                .filter(span -> root ? span.parents().isEmpty() : span.parents().contains(token))
                .toList();
        long end = root ? 0 : spanOf(token).end();
        for (Span child : children) {
            storage.addChildren(
                    lease(token),
                    new ChildPartitionsRecord(
                            at(end), "0", List.of(new ChildPartition(child.token(), child.parents()))));
        }
        if (random.nextInt(4) == 0) {
            return;
        }
        PartitionEnd proof = children.isEmpty()
                ? PartitionEnd.boundedEnd(at(end))
                : PartitionEnd.childPartitions(
                        at(end),
                        children.stream()
                                .map(child -> new PartitionToken(child.token()))
                                .toList());
        assertThat(storage.finish(lease(token), at(end), proof)).isTrue();
        held.remove(token);
        finished.add(token);
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

    private String anyHeld() {
        List<String> tokens = held.keySet().stream().sorted().toList();
        return tokens.isEmpty() ? "" : tokens.get(random.nextInt(tokens.size()));
    }
}
