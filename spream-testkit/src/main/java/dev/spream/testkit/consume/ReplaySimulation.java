package dev.spream.testkit.consume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.DeadLetterReplay;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.ReplayResult;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Random histories of one partition that parks keys, crashes and resumes from its watermark, while an operator replays
 * dead letters. The checker compares the deliveries of a key with the key's history. The reader handles dead letters as
 * the engine does.
 */
public final class ReplaySimulation implements AutoCloseable {
    private static final int CHANGES = 40;
    private static final PartitionLease LEASE =
            new PartitionLease(DeadLetters.PARTITION, new WorkerId("ann"), 1, Changes.START);

    private final Random random;
    private final boolean onlyCaughtUp;
    private final DeadLetterSinkFixture fixture;
    private final List<DataChangeRecord> changes = new ArrayList<>();
    private final Map<RecordKey, List<DataChangeRecord>> histories = new HashMap<>();
    private final Map<RecordKey, List<Integer>> taken = new HashMap<>();
    private final Set<RecordKey> mayBeParked = new HashSet<>();
    private int position;
    private int furthest;
    private int watermark;
    private boolean healthy;

    /** Creates a fixture over an empty store. */
    public interface Fixtures {
        DeadLetterSinkFixture create() throws Exception;
    }

    /** Returns violations in histories in which an operator replays only when the partition has caught up. */
    public static List<String> violationsWhenCaughtUp(Fixtures fixtures, int seeds) throws Exception {
        return violations(fixtures, seeds, true, ReplaySimulation::isOrderedSuffixes);
    }

    /** Returns violations in histories in which an operator replays at any time. */
    public static List<String> violationsAtAnyTime(Fixtures fixtures, int seeds) throws Exception {
        return violations(fixtures, seeds, false, ReplaySimulation::endsInOrder);
    }

    /** Returns the histories of keys that lack a change or have a wrong order. */
    private static List<String> violations(
            Fixtures fixtures, int seeds, boolean onlyCaughtUp, Predicate<List<Integer>> isAsItShouldBe)
            throws Exception {
        List<String> violations = new ArrayList<>();
        for (long seed = 1; seed <= seeds; seed++) {
            try (ReplaySimulation simulation = new ReplaySimulation(seed, fixtures.create(), onlyCaughtUp)) {
                Map<RecordKey, List<Integer>> taken = simulation.run();
                for (RecordKey key : simulation.histories.keySet()) {
                    List<Integer> places = taken.getOrDefault(key, List.of());
                    if (new HashSet<>(places).size() < simulation.history(key).size() || !isAsItShouldBe.test(places)) {
                        violations.add("seed %d: %s took %s".formatted(seed, key, places));
                    }
                }
            }
        }
        return violations;
    }

    /** Returns whether the last delivery of each change is before the last delivery of the next one. */
    private static boolean endsInOrder(List<Integer> places) {
        List<Integer> last =
                places.stream().distinct().sorted().map(places::lastIndexOf).toList();
        return last.equals(last.stream().sorted().toList());
    }

    /** Returns whether each change is followed by the next one, or by an earlier one from which delivery restarts. */
    private static boolean isOrderedSuffixes(List<Integer> places) {
        int before = -1;
        for (int place : places) {
            if (place > before + 1) {
                return false;
            }
            before = place;
        }
        return true;
    }

    private ReplaySimulation(long seed, DeadLetterSinkFixture fixture, boolean onlyCaughtUp) {
        this.fixture = fixture;
        this.random = new Random(seed);
        this.onlyCaughtUp = onlyCaughtUp;
        for (long second = 0; second < CHANGES; second++) {
            DataChangeRecord change =
                    switch (random.nextInt(5)) {
                        case 0 -> Changes.of(second, "A", "B");
                        case 1, 2 -> Changes.of(second, "A");
                        case 3 -> Changes.of(second, "B");
                        default -> Changes.of(second, "C");
                    };
            changes.add(change);
            RecordKey.of(change)
                    .forEach(key -> histories
                            .computeIfAbsent(key, k -> new ArrayList<>())
                            .add(change));
        }
    }

    private List<DataChangeRecord> history(RecordKey key) {
        return histories.getOrDefault(key, List.of());
    }

    private DeadLetterStore store() {
        return (DeadLetterStore) fixture.sink();
    }

    private Map<RecordKey, List<Integer>> run() throws Exception {
        while (position < changes.size()) {
            switch (random.nextInt(12)) {
                case 0 -> crash();
                case 1 -> watermark += random.nextInt(position - watermark + 1);
                case 2 -> replay();
                default -> deliver(changes.get(position++));
            }
            furthest = Math.max(furthest, position);
        }
        healthy = true;
        assertThat(replay(DeadLetterReplay.of(store(), this::consume)).isComplete())
                .isTrue();
        assertThat(fixture.sink().parkedKeys()).isEmpty();
        return taken;
    }

    private void crash() throws Exception {
        fixture.restart();
        position = watermark;
        mayBeParked.clear();
        mayBeParked.addAll(fixture.sink().parkedKeys(LEASE));
    }

    private void replay() throws InterruptedException {
        if (!onlyCaughtUp || position == furthest) {
            replay(DeadLetterReplay.of(store(), this::consume));
        }
    }

    private ReplayResult replay(DeadLetterReplay replay) throws InterruptedException {
        return healthy || random.nextBoolean() ? replay.all() : replay.key(Changes.key("A"));
    }

    private void deliver(DataChangeRecord change) throws Exception {
        Set<RecordKey> keys = RecordKey.of(change);
        if (keys.stream().anyMatch(mayBeParked::contains)) {
            if (fixture.sink().acceptIfParked(DeadLetters.behind(change))) {
                mayBeParked.addAll(keys);
                return;
            }
            mayBeParked.removeAll(keys);
        }
        store().delivering(change);
        try {
            consume(change, new Delivery(DeadLetters.PARTITION, 1, 1, Optional.empty(), Optional.empty()));
        } catch (IOException e) {
            fixture.sink().accept(DeadLetters.parked(change));
            mayBeParked.addAll(keys);
        }
    }

    private void consume(DataChangeRecord change, Delivery delivery) throws IOException {
        if (!healthy && random.nextInt(4) == 0) {
            throw new IOException("unreachable in attempt " + delivery.attempt());
        }
        RecordKey.of(change)
                .forEach(key -> taken.computeIfAbsent(key, k -> new ArrayList<>())
                        .add(history(key).indexOf(change)));
    }

    @Override
    public void close() throws Exception {
        fixture.close();
    }
}
