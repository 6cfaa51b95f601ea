package dev.spream.flink;

import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.Ordering;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.connector.testutils.source.reader.TestingSplitEnumeratorContext;
import org.jspecify.annotations.Nullable;

/**
 * A job in one thread, with chance in place of time: an enumerator, readers, and an operator behind {@code keyBy} that
 * checks that each key's changes come in order, once. Barriers are aligned, and the messages of the enumerator after its
 * part of a checkpoint wait for the barrier, as in Flink. The readers fail, and the whole job, which continues
 * with another number of readers.
 */
final class JobSimulation {
    private static final int END = 40;
    private static final int KEYS = 8;

    /** A partition of the script, with keys from second {@code from} until {@code to}, exclusive. */
    private record Scripted(String token, Set<Integer> keys, int from, int to, Set<String> parents) {}

    /** The input of an operator from a reader: a change of a key, or the barrier of a checkpoint. */
    private record Element(int key, int second, long barrier) {}

    /** A split as its reader has it. */
    private static final class Reading {
        private final Scripted partition;
        private int position;
        private List<ChildPartitionsRecord> unacknowledged = new ArrayList<>();
        private @Nullable PartitionEnd end;

        private Reading(Scripted partition, int position) {
            this.partition = partition;
            this.position = position;
        }

        private PartitionSplit split() {
            return new PartitionSplit(
                    new PartitionToken(partition.token()),
                    new PartitionToken(partition.token()),
                    at(partition.from()),
                    at(position),
                    Set.of(),
                    Optional.empty(),
                    Optional.empty(),
                    unacknowledged,
                    Optional.ofNullable(end),
                    List.of());
        }
    }

    private static final class Reader {
        private final Map<String, Reading> splits = new LinkedHashMap<>();
        private final Deque<ReaderEvent> messages = new ArrayDeque<>(); // to the enumerator
        private final Deque<Element> channel = new ArrayDeque<>(); // to the operator
        private final Deque<Object> gateway = new ArrayDeque<>(); // from the enumerator, with numbers of checkpoints
        private final List<PartitionSplit> restored = new ArrayList<>();
        private Instant low = Instant.MIN;
        private boolean blocked; // the operator has its barrier
    }

    /** A completed checkpoint. */
    private record Checkpoint(
            long id, EnumeratorState state, List<List<PartitionSplit>> splits, Map<Integer, Integer> operator) {}

    private final Random random;
    private final boolean ordered;
    private final Map<String, Scripted> script = new LinkedHashMap<>();
    private final Map<Integer, Integer> operator = new TreeMap<>(); // the last second of each key
    private final ReadOptions options;
    private List<Reader> readers = new ArrayList<>();
    private Context context;
    private PartitionEnumerator enumerator;
    private Instant now = at(0);
    private long nextCheckpoint = 1;
    private @Nullable Checkpoint pending;
    private Checkpoint completed = new Checkpoint(0, none(), List.of(), Map.of());
    private final Map<Integer, List<PartitionSplit>> assignedSince = new HashMap<>();
    private final Map<Integer, List<PartitionSplit>> assignedSincePending = new HashMap<>();
    private int barriers;

    /** Flink's context, whose messages and splits take one way. */
    private final class Context extends TestingSplitEnumeratorContext<PartitionSplit> {
        private final Set<Integer> registered = new LinkedHashSet<>();
        private final Set<Integer> ended = new LinkedHashSet<>();

        private Context(int parallelism) {
            super(parallelism);
        }

        @Override
        public Map<Integer, ReaderInfo> registeredReaders() {
            Map<Integer, ReaderInfo> infos = new HashMap<>();
            registered.forEach(reader -> infos.put(reader, new ReaderInfo(reader, "host")));
            return infos;
        }

        @Override
        public void assignSplits(SplitsAssignment<PartitionSplit> assignment) {
            assignment.assignment().forEach((reader, splits) -> {
                assertThat(registered).contains(reader);
                splits.forEach(split -> readers.get(reader).gateway.add(split));
                assignedSince.computeIfAbsent(reader, r -> new ArrayList<>()).addAll(splits);
                assignedSincePending
                        .computeIfAbsent(reader, r -> new ArrayList<>())
                        .addAll(splits);
            });
        }

        @Override
        public void sendEventToSourceReader(int reader, SourceEvent event) {
            assertThat(registered).contains(reader);
            readers.get(reader).gateway.add(EnumeratorStage.sent(event));
        }

        @Override
        public void signalNoMoreSplits(int reader) {
            ended.add(reader);
        }
    }

    JobSimulation(long seed, Ordering ordering) {
        random = new Random(seed);
        ordered = ordering != Ordering.NONE;
        options = EnumeratorStage.options(ordering, Optional.of(at(END)));
        writeScript();
        start(1 + random.nextInt(3), null, List.of());
    }

    private static EnumeratorState none() {
        return new EnumeratorState(Optional.empty(), List.of(), List.of(), List.of());
    }

    private void writeScript() {
        script.put("Parent0", new Scripted("Parent0", Set.of(), 0, 0, Set.of()));
        List<Scripted> living = new ArrayList<>();
        Set<Integer> all = new LinkedHashSet<>();
        for (int key = 0; key < KEYS; key++) {
            all.add(key);
        }
        int next = 0;
        living.add(new Scripted("p" + next++, all, 0, END, Set.of()));
        for (int second = 1; second < END; second++) {
            if (random.nextInt(3) > 0) {
                continue;
            }
            Scripted one = living.remove(random.nextInt(living.size()));
            if (one.from() == second) {
                living.add(one);
                continue;
            }
            if (random.nextBoolean() && one.keys().size() > 1) {
                List<Integer> keys = new ArrayList<>(one.keys());
                int cut = 1 + random.nextInt(keys.size() - 1);
                close(one, second);
                living.add(
                        new Scripted("p" + next++, Set.copyOf(keys.subList(0, cut)), second, END, Set.of(one.token())));
                living.add(new Scripted(
                        "p" + next++, Set.copyOf(keys.subList(cut, keys.size())), second, END, Set.of(one.token())));
            } else if (!living.isEmpty() && living.getFirst().from() < second) {
                Scripted other = living.removeFirst();
                close(one, second);
                close(other, second);
                Set<Integer> keys = new LinkedHashSet<>(one.keys());
                keys.addAll(other.keys());
                living.add(new Scripted("p" + next++, keys, second, END, Set.of(one.token(), other.token())));
            } else {
                close(one, second);
                living.add(new Scripted("p" + next++, one.keys(), second, END, Set.of(one.token())));
            }
        }
        living.forEach(partition -> script.put(partition.token(), partition));
    }

    private void close(Scripted partition, int second) {
        script.put(
                partition.token(),
                new Scripted(partition.token(), partition.keys(), partition.from(), second, partition.parents()));
    }

    private void start(int parallelism, @Nullable EnumeratorState state, List<PartitionSplit> splits) {
        context = new Context(parallelism);
        readers = new ArrayList<>();
        for (int reader = 0; reader < parallelism; reader++) {
            readers.add(new Reader());
        }
        splits.forEach(
                split -> readers.get(random.nextInt(parallelism)).restored.add(split));
        enumerator = new PartitionEnumerator(
                context, new ScriptedSource(), options, () -> now, state == null ? null : EnumeratorStage.copy(state));
        enumerator.start();
        assignedSince.clear();
        assignedSincePending.clear();
    }

    /** Runs the job to its end, and checks that the operator has every change. */
    void run() {
        for (int step = 0; !isOver(); step++) {
            assertThat(step).as("steps").isLessThan(200_000);
            step(step < 6000);
        }
        for (int key = 0; key < KEYS; key++) {
            assertThat(operator).as("the last change of each key").containsEntry(key, END - 1);
        }
    }

    private boolean isOver() {
        return context.ended.size() == readers.size()
                && readers.stream().allMatch(reader -> reader.channel.isEmpty() && reader.messages.isEmpty());
    }

    private void step(boolean faults) {
        int reader = random.nextInt(readers.size());
        switch (random.nextInt(faults ? 300 : 290)) {
            case 290, 291, 292, 293 -> restartReaders();
            case 294, 295 -> restartJob();
            case 0, 1, 2, 3, 4, 5 -> takeCheckpoint();
            default -> {
                switch (random.nextInt(6)) {
                    case 0 -> register(reader);
                    case 1 -> read(readers.get(reader));
                    case 2 -> deliver(readers.get(reader));
                    case 3 -> report(reader);
                    case 4 -> operate(readers.get(reader));
                    default -> {
                        now = now.plus(Duration.ofMillis(200));
                        context.triggerAllActions();
                    }
                }
            }
        }
    }

    private void register(int reader) {
        if (context.registered.add(reader)) {
            Reader started = readers.get(reader);
            started.restored.forEach(split -> {
                Reading reading = new Reading(scripted(split.splitId()), (int)
                        Duration.between(at(0), split.position()).toSeconds());
                reading.unacknowledged = new ArrayList<>(split.children());
                reading.end = split.end().orElse(null);
                started.splits.put(split.splitId(), reading);
            });
            enumerator.addReader(reader);
            for (PartitionSplit split : started.restored) {
                started.messages.add(new ReaderEvent.Restored(List.of(split)));
            }
            started.messages.add(new ReaderEvent.ReaderStarted(1 + random.nextInt(4)));
        }
    }

    private Scripted scripted(String token) {
        Scripted partition = script.get(token);
        assertThat(partition).isNotNull();
        return partition;
    }

    private void read(Reader reader) {
        List<Reading> open = reader.splits.values().stream()
                .filter(reading -> reading.end == null)
                .toList();
        if (open.isEmpty()) {
            return;
        }
        Reading reading = open.get(random.nextInt(open.size()));
        if (reading.position < reading.partition.to()) {
            assertThat(at(reading.position))
                    .as("a change before the low watermark")
                    .isAfterOrEqualTo(reader.low);
            for (int key : reading.partition.keys()) {
                reader.channel.add(new Element(key, reading.position, 0));
            }
            reading.position++;
        } else {
            end(reader, reading);
        }
        if (random.nextInt(3) == 0) {
            reader.messages.add(new ReaderEvent.Progress(List.of(reading.split().progress())));
        }
    }

    private void end(Reader reader, Reading reading) {
        PartitionToken token = new PartitionToken(reading.partition.token());
        List<ChildPartition> children = script.values().stream()
                .filter(child -> token.isRoot()
                        ? child.token().equals("p0")
                        : child.parents().contains(token.value()))
                .map(child -> new ChildPartition(child.token(), List.copyOf(child.parents())))
                .toList();
        if (children.isEmpty()) {
            reading.end = PartitionEnd.boundedEnd(at(END));
        } else {
            for (ChildPartition child : children) {
                var record = new ChildPartitionsRecord(at(reading.position), "0", List.of(child));
                reading.unacknowledged.add(record);
                reader.messages.add(new ReaderEvent.ChildrenFound(token, record));
            }
            reading.end = PartitionEnd.childPartitions(
                    at(reading.position),
                    children.stream()
                            .map(child -> new PartitionToken(child.token()))
                            .toList());
        }
        reader.messages.add(new ReaderEvent.ReadToEnd(reading.split().progress(), reading.end));
    }

    /** Delivers the next split or message of the enumerator, or the trigger of a checkpoint. */
    private void deliver(Reader reader) {
        Object next = reader.gateway.poll();
        switch (next) {
            case null -> {}
            case PartitionSplit split -> {
                assertThat(reader.splits).doesNotContainKey(split.splitId());
                reader.splits.put(split.splitId(), new Reading(scripted(split.splitId()), (int)
                        Duration.between(at(0), split.position()).toSeconds()));
            }
            case Long barrier -> {
                Checkpoint checkpoint = pending;
                if (checkpoint != null && checkpoint.id() == barrier) {
                    checkpoint
                            .splits()
                            .add(reader.splits.values().stream()
                                    .map(Reading::split)
                                    .toList());
                    reader.channel.add(new Element(0, 0, barrier));
                }
            }
            case EnumeratorEvent.ChildrenStored stored ->
                Optional.ofNullable(reader.splits.get(stored.token().value()))
                        .ifPresent(reading -> reading.unacknowledged.remove(stored.children()));
            case EnumeratorEvent.EndStored stored ->
                reader.splits.remove(stored.token().value());
            case EnumeratorEvent.LowWatermark low -> {
                if (low.timestamp().isAfter(reader.low)) {
                    reader.low = low.timestamp();
                }
            }
            default -> throw new AssertionError(next);
        }
    }

    private void report(int reader) {
        if (!context.registered.contains(reader)) {
            return;
        }
        ReaderEvent message = readers.get(reader).messages.poll();
        if (message != null) {
            enumerator.handleSourceEvent(reader, EnumeratorStage.sent(message));
        }
    }

    /** The operator takes the next element of a reader, unless it has its barrier and not those of the others. */
    private void operate(Reader reader) {
        Element next = reader.blocked ? null : reader.channel.poll();
        if (next == null) {
            return;
        }
        if (next.barrier() == 0) {
            int before = operator.getOrDefault(next.key(), -1);
            if (ordered) {
                assertThat(next.second()).as("key %d", next.key()).isEqualTo(before + 1);
            }
            operator.merge(next.key(), next.second(), Math::max);
            return;
        }
        reader.blocked = true;
        barriers++;
        Checkpoint checkpoint = pending;
        if (barriers == readers.size() && checkpoint != null) {
            completed = new Checkpoint(
                    checkpoint.id(), checkpoint.state(), List.copyOf(checkpoint.splits()), Map.copyOf(operator));
            forgetPending();
            assignedSince.clear();
            assignedSincePending.forEach((r, splits) -> assignedSince.put(r, new ArrayList<>(splits)));
            enumerator.notifyCheckpointComplete(checkpoint.id());
        }
    }

    private void forgetPending() {
        pending = null;
        barriers = 0;
        readers.forEach(reader -> reader.blocked = false);
    }

    private void takeCheckpoint() {
        if (pending == null && context.registered.size() == readers.size()) {
            long id = nextCheckpoint++;
            pending = new Checkpoint(id, enumerator.snapshotState(id), new ArrayList<>(), Map.of());
            assignedSincePending.clear();
            readers.forEach(reader -> reader.gateway.add(id));
        }
    }

    /** All readers fail, and continue with the last checkpoint; the enumerator stays. */
    private void restartReaders() {
        Checkpoint aborted = pending;
        if (aborted != null) {
            enumerator.notifyCheckpointAborted(aborted.id());
        }
        forgetPending();
        List<Reader> before = readers;
        readers = new ArrayList<>();
        context.registered.clear();
        context.ended.clear();
        for (int reader = 0; reader < before.size(); reader++) {
            Reader next = new Reader();
            if (reader < completed.splits().size()) {
                next.restored.addAll(completed.splits().get(reader));
            }
            readers.add(next);
        }
        for (int reader = 0; reader < before.size(); reader++) {
            enumerator.addSplitsBack(assignedSince.getOrDefault(reader, List.of()), reader);
        }
        assignedSince.clear();
        assignedSincePending.clear();
        operator.clear();
        operator.putAll(completed.operator());
    }

    /** The whole job continues with the last checkpoint, with any number of readers. */
    private void restartJob() {
        forgetPending();
        operator.clear();
        operator.putAll(completed.operator());
        boolean begun = completed.id() > 0;
        start(
                1 + random.nextInt(3),
                begun ? completed.state() : null,
                completed.splits().stream().flatMap(List::stream).toList());
        completed = new Checkpoint(completed.id(), completed.state(), spread(), completed.operator());
    }

    /** Returns the restored splits as the readers have them now. */
    private List<List<PartitionSplit>> spread() {
        return readers.stream().map(reader -> List.copyOf(reader.restored)).toList();
    }
}
