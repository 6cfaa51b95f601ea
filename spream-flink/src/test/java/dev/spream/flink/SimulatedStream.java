package dev.spream.flink;

import static dev.spream.testkit.subscription.ScriptedSource.at;
import static dev.spream.testkit.subscription.ScriptedSource.child;
import static dev.spream.testkit.subscription.ScriptedSource.newChange;
import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionEndRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.PartitionStartRecord;
import dev.spream.testkit.subscription.ScriptedSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** A stream of chance with a change of each key in each second, whose keys pass between partitions. */
final class SimulatedStream {
    static final int END = 40;
    static final int KEYS = 8;

    /** A partition with keys from second {@code from} until it ends. */
    private record Living(String token, Set<Integer> keys, int from) {}

    private final Random random;
    private final ScriptedSource source = new ScriptedSource();
    private int partitions;
    private int sequences;

    private SimulatedStream(Random random) {
        this.random = random;
        source.roots(next());
    }

    static ScriptedSource of(PartitionMode mode, Random random) {
        SimulatedStream stream = new SimulatedStream(random);
        stream.source.partitionMode(mode);
        switch (mode) {
            case IMMUTABLE_KEY_RANGE -> stream.writeChildren();
            case MUTABLE_KEY_RANGE -> stream.writeMoves();
        }
        return stream.source;
    }

    private String next() {
        return "p" + partitions++;
    }

    /** Returns a sequence that is later than all others. */
    private String sequence() {
        return "%08d".formatted(++sequences);
    }

    private static Set<Integer> allKeys() {
        Set<Integer> all = new TreeSet<>();
        for (int key = 0; key < KEYS; key++) {
            all.add(key);
        }
        return all;
    }

    private void writeChildren() {
        List<Living> living = new ArrayList<>();
        living.add(new Living("p0", allKeys(), 0));
        for (int second = 0; second < END; second++) {
            if (random.nextInt(3) == 0) {
                replace(living, second);
            }
            for (Living one : living) {
                change(one.token(), second, one.keys());
            }
        }
    }

    private void replace(List<Living> living, int second) {
        Living one = living.remove(random.nextInt(living.size()));
        if (one.from() == second) {
            living.add(one);
        } else if (random.nextBoolean() && one.keys().size() > 1) {
            List<Integer> keys = new ArrayList<>(one.keys());
            int cut = 1 + random.nextInt(keys.size() - 1);
            living.add(follow(keys.subList(0, cut), second, one));
            living.add(follow(keys.subList(cut, keys.size()), second, one));
            source.end(one.token());
        } else if (!living.isEmpty() && living.getFirst().from() < second) {
            Living other = living.removeFirst();
            Set<Integer> keys = new TreeSet<>(one.keys());
            keys.addAll(other.keys());
            living.add(follow(keys, second, one, other));
            source.end(one.token()).end(other.token());
        } else {
            living.add(follow(one.keys(), second, one));
            source.end(one.token());
        }
    }

    private Living follow(Collection<Integer> keys, int second, Living... parents) {
        String[] tokens = List.of(parents).stream().map(Living::token).toArray(String[]::new);
        ChildPartition child = child(next(), tokens);
        for (String parent : tokens) {
            source.children(parent, second, child);
        }
        return new Living(child.token(), new TreeSet<>(keys), second);
    }

    private void change(String token, int second, Collection<Integer> keys) {
        DataChangeRecord plain = newChange(
                second, "tx-" + sequence(), keys.stream().map(String::valueOf).toList());
        source.add(
                token,
                new DataChangeRecord(
                        plain.commitTimestamp(),
                        sequence(),
                        plain.serverTransactionId(),
                        plain.isLastRecordInTransactionInPartition(),
                        plain.tableName(),
                        plain.columnTypes(),
                        plain.mods(),
                        plain.modTypeName(),
                        plain.valueCaptureTypeName(),
                        plain.numberOfRecordsInTransaction(),
                        plain.numberOfPartitionsInTransaction(),
                        plain.transactionTag(),
                        plain.isSystemTransaction()));
    }

    private void writeMoves() {
        Map<String, Set<Integer>> living = new TreeMap<>(Map.of("p0", allKeys()));
        for (int second = 0; second < END; second++) {
            Moves moves = new Moves(second, living);
            for (int more = second == 0 ? 0 : random.nextInt(4) - 1; more > 0; more--) {
                moves.add();
            }
            living = moves.write();
        }
    }

    /** The keys that move in one second; each change of that second is before or after the move of its key. */
    private final class Moves {
        private final int second;
        private final Map<String, Set<Integer>> before;
        private final Map<String, Set<Integer>> after = new TreeMap<>();
        private final Map<String, Set<String>> sources = new HashMap<>();
        private final Map<String, Set<String>> destinations = new HashMap<>();
        private final Map<String, List<String>> started = new LinkedHashMap<>();
        private final Set<Integer> moved = new LinkedHashSet<>();

        private Moves(int second, Map<String, Set<Integer>> before) {
            this.second = second;
            this.before = before;
            before.forEach((token, keys) -> after.put(token, new TreeSet<>(keys)));
        }

        private void add() {
            String from = oneOf(before.keySet());
            Set<Integer> keys = new TreeSet<>(before.get(from));
            keys.removeAll(moved);
            if (random.nextBoolean()) {
                keys.removeIf(key -> random.nextBoolean());
            }
            String to = random.nextInt(3) == 0 ? next() : oneOf(after.keySet());
            if (keys.isEmpty() || from.equals(to)) {
                return;
            }
            if (!after.containsKey(to)) {
                String named = random.nextInt(3) == 0 ? oneOf(before.keySet()) : from;
                started.computeIfAbsent(named, token -> new ArrayList<>()).add(to);
            }
            moved.addAll(keys);
            requireNonNull(after.get(from)).removeAll(keys);
            after.computeIfAbsent(to, token -> new TreeSet<>()).addAll(keys);
            sources.computeIfAbsent(to, token -> new TreeSet<>()).add(from);
            destinations.computeIfAbsent(from, token -> new TreeSet<>()).add(to);
        }

        private String oneOf(Set<String> tokens) {
            return List.copyOf(tokens).get(random.nextInt(tokens.size()));
        }

        /** Writes the records of the second; returns the partitions that live after it. */
        private Map<String, Set<Integer>> write() {
            Set<Integer> late = allKeys();
            late.removeIf(key -> random.nextBoolean());
            after.forEach((token, keys) -> {
                change(token, before.getOrDefault(token, Set.of()), key -> !late.contains(key));
                started.getOrDefault(token, List.of())
                        .forEach(next ->
                                source.add(token, new PartitionStartRecord(at(second), sequence(), List.of(next))));
                move(token);
                change(token, keys, late::contains);
                if (random.nextBoolean()) {
                    source.heartbeat(token, second);
                }
            });
            Map<String, Set<Integer>> living = new TreeMap<>(after);
            living.keySet().removeIf(token -> {
                boolean ends = requireNonNull(after.get(token)).isEmpty()
                        && !sources.containsKey(token)
                        && random.nextBoolean();
                if (ends) {
                    source.add(token, new PartitionEndRecord(at(second), sequence(), token))
                            .end(token);
                }
                return ends;
            });
            return living;
        }

        private void move(String token) {
            List<String> from = List.copyOf(sources.getOrDefault(token, Set.of()));
            List<String> to = List.copyOf(destinations.getOrDefault(token, Set.of()));
            if (from.isEmpty() || to.isEmpty() || random.nextBoolean()) {
                if (!from.isEmpty() || !to.isEmpty()) {
                    move(token, from, to);
                }
            } else if (random.nextBoolean()) {
                move(token, from, List.of());
                move(token, List.of(), to);
            } else {
                move(token, List.of(), to);
                move(token, from, List.of());
            }
        }

        private void move(String token, List<String> from, List<String> to) {
            source.add(token, new PartitionEventRecord(at(second), sequence(), token, from, to));
        }

        private void change(String token, Set<Integer> keys, Predicate<Integer> included) {
            List<Integer> changed = keys.stream().filter(included).toList();
            if (!changed.isEmpty()) {
                SimulatedStream.this.change(token, second, changed);
            }
        }
    }
}
