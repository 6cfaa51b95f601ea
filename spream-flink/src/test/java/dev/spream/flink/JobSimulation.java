package dev.spream.flink;

import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.Ordering;
import dev.spream.core.partition.PartitionMode;
import dev.spream.testkit.subscription.MappedSource;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
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
 * A job in which one thing happens at a time, with chance in place of time: an enumerator, readers, and an operator behind
 * {@code keyBy} that checks that each key's changes come in order, once. Barriers are aligned, and so are the watermarks of
 * most jobs; the messages of the enumerator after its part of a checkpoint wait for the barrier, as in Flink. The readers
 * fail, and the whole job, which continues with another number of readers.
 */
final class JobSimulation {
    private static final Object NO_MORE_SPLITS = "no more splits";
    private static final int FAULTY_STEPS = 6_000;
    private static final int STEPS = 60_000;

    /** A part of the job that is missing, which the simulation has to find. */
    enum Sabotage {
        NONE(""),
        /** Changes after a move-in do not wait for its sources. */
        NO_WAIT_FOR_SOURCES("[key "),
        /** Outputs of splits have no watermark before their first element. */
        NO_FIRST_WATERMARK("[steps]");

        private final String found;

        Sabotage(String found) {
            this.found = found;
        }

        /** Returns a part of the failure's message. */
        String found() {
            return found;
        }
    }

    /** A completed checkpoint. */
    private record Checkpoint(
            long id, EnumeratorState state, List<List<PartitionSplit>> splits, Map<Integer, List<Integer>> operator) {}

    private final Random random;
    private final boolean ordered;
    private final Sabotage sabotage;
    private final ScriptedSource source;
    private final long drift; // which the alignment of watermarks allows; 0 without alignment
    private final SimulatedThreads threads = new SimulatedThreads();
    private final Map<Integer, List<Integer>> operator = new TreeMap<>(); // the seconds of each key
    private final ReadOptions options;
    private List<SimulatedReader> readers = new ArrayList<>();
    private Context context;
    private PartitionEnumerator enumerator;
    private Instant now = at(0);
    private long nextCheckpoint = 1;
    private @Nullable Checkpoint pending;
    private Checkpoint completed = new Checkpoint(0, none(), List.of(), Map.of());
    private final Map<Integer, List<PartitionSplit>> assignedSince = new HashMap<>();
    private final Map<Integer, List<PartitionSplit>> assignedSincePending = new HashMap<>();
    private final Map<Integer, Long> watermarks = new HashMap<>(); // of the readers, as the alignment group has them
    private int barriers;

    /** Flink's context, whose messages and splits take one way. */
    private final class Context extends TestingSplitEnumeratorContext<PartitionSplit> {
        private final Set<Integer> registered = new LinkedHashSet<>();

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
            readers.get(reader).gateway.add(NO_MORE_SPLITS);
        }
    }

    JobSimulation(long seed, PartitionMode mode, Ordering ordering, Sabotage sabotage) {
        random = new Random(seed);
        ordered = ordering != Ordering.NONE;
        this.sabotage = sabotage;
        options = EnumeratorStage.options(ordering, Optional.of(at(SimulatedStream.END)));
        source = SimulatedStream.of(mode, random);
        drift = 1000L * random.nextInt(4);
        start(1 + random.nextInt(3), null, List.of());
    }

    private static EnumeratorState none() {
        return new EnumeratorState(Optional.empty(), List.of(), List.of(), List.of());
    }

    private void start(int parallelism, @Nullable EnumeratorState state, List<PartitionSplit> splits) {
        context = new Context(parallelism);
        readers = newReaders(parallelism);
        splits.forEach(
                split -> readers.get(random.nextInt(parallelism)).restored.add(split));
        enumerator = new PartitionEnumerator(
                context, source, options, () -> now, state == null ? null : EnumeratorStage.copy(state));
        enumerator.start();
        assignedSince.clear();
        assignedSincePending.clear();
    }

    private List<SimulatedReader> newReaders(int parallelism) {
        readers.forEach(SimulatedReader::close);
        watermarks.clear();
        List<SimulatedReader> started = new ArrayList<>();
        for (int reader = 0; reader < parallelism; reader++) {
            started.add(new SimulatedReader(reader, threads, sabotage == Sabotage.NO_FIRST_WATERMARK));
        }
        return started;
    }

    /** Runs the job to its end, and checks that the operator has every change. */
    void run() throws Exception {
        try {
            for (int step = 0; !isOver(); step++) {
                assertThat(step).as("steps").isLessThan(STEPS);
                step(step < FAULTY_STEPS);
            }
        } finally {
            readers.forEach(SimulatedReader::close);
        }
        for (int key = 0; key < SimulatedStream.KEYS; key++) {
            assertThat(operator.get(key))
                    .as("the changes of key %d", key)
                    .hasSize(SimulatedStream.END)
                    .doesNotHaveDuplicates();
        }
    }

    private boolean isOver() {
        return readers.stream()
                .allMatch(reader -> reader.isEnded() && reader.channel.isEmpty() && reader.messages.isEmpty());
    }

    private void step(boolean faults) throws Exception {
        int reader = random.nextInt(readers.size());
        switch (random.nextInt(faults ? 602 : 599)) {
            case 599, 600 -> restartReaders();
            case 601 -> restartJob();
            case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 -> takeCheckpoint();
            case 12, 13, 14, 15, 16, 17 -> readers.get(reader).pass();
            case 18, 19, 20, 21, 22, 23 -> align();
            default -> {
                switch (random.nextInt(7)) {
                    case 0 -> register(reader);
                    case 1 -> read(reader);
                    case 2 -> readers.get(reader).poll();
                    case 3 -> deliver(readers.get(reader));
                    case 4 -> report(reader);
                    case 5 -> operate(readers.get(reader));
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
            enumerator.addReader(reader);
            source.maxOpenQueries(1 + random.nextInt(4));
            readers.get(reader).start(new MappedSource(source, threads), options);
        }
    }

    private void read(int reader) {
        List<Thread> waiting = threads.atRecord(reader);
        if (!waiting.isEmpty()) {
            threads.take(waiting.get(random.nextInt(waiting.size())));
        }
    }

    /** Takes the watermark of each reader, and sends all the one that the slowest allows, as Flink does by a timer. */
    private void align() {
        for (int reader : context.registered) {
            watermarks.put(reader, readers.get(reader).watermark());
        }
        if (drift > 0 && !watermarks.isEmpty()) {
            long slowest = Collections.min(watermarks.values());
            long allowed = slowest > Long.MAX_VALUE - drift ? Long.MAX_VALUE : slowest + drift;
            context.registered.forEach(
                    reader -> readers.get(reader).gateway.add(new SimulatedReader.Alignment(allowed)));
        }
    }

    /** Delivers the next split or message of the enumerator, or the trigger of a checkpoint. */
    private void deliver(SimulatedReader reader) {
        Object next = reader.gateway.poll();
        if (next instanceof Long barrier) {
            Checkpoint checkpoint = pending;
            if (checkpoint != null && checkpoint.id() == barrier) {
                checkpoint.splits().add(reader.snapshot(barrier));
            }
        } else if (next != null) {
            reader.handle(next);
        }
    }

    private void report(int reader) {
        SourceEvent message = readers.get(reader).messages.poll();
        if (message == null) {
            return;
        }
        enumerator.handleSourceEvent(reader, message);
        if (sabotage == Sabotage.NO_WAIT_FOR_SOURCES && message instanceof ReaderEvent.MovedIn moved) {
            readers.get(reader).gateway.add(new EnumeratorEvent.Proceed(moved.token(), moved.moveIn()));
        }
    }

    /** The operator takes the next element of a reader, unless it has its barrier and not those of the others. */
    private void operate(SimulatedReader reader) {
        Object next = reader.blocked ? null : reader.channel.poll();
        if (next == null) {
            return;
        }
        if (next instanceof SimulatedReader.Change(int key, int second)) {
            List<Integer> before = operator.computeIfAbsent(key, k -> new ArrayList<>());
            if (ordered) {
                assertThat(second).as("key %d", key).isEqualTo(before.size());
            }
            before.add(second);
            return;
        }
        reader.blocked = true;
        barriers++;
        Checkpoint checkpoint = pending;
        if (barriers == readers.size() && checkpoint != null) {
            completed = new Checkpoint(
                    checkpoint.id(), checkpoint.state(), List.copyOf(checkpoint.splits()), copy(operator));
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
        context.registered.clear();
        readers = newReaders(readers.size());
        for (int reader = 0; reader < readers.size(); reader++) {
            if (reader < completed.splits().size()) {
                readers.get(reader).restored.addAll(completed.splits().get(reader));
            }
            enumerator.addSplitsBack(assignedSince.getOrDefault(reader, List.of()), reader);
        }
        assignedSince.clear();
        assignedSincePending.clear();
        restoreOperator();
    }

    private void restoreOperator() {
        operator.clear();
        operator.putAll(copy(completed.operator()));
    }

    private static Map<Integer, List<Integer>> copy(Map<Integer, List<Integer>> seconds) {
        Map<Integer, List<Integer>> copy = new TreeMap<>();
        seconds.forEach((key, of) -> copy.put(key, new ArrayList<>(of)));
        return copy;
    }

    /** The whole job continues with the last checkpoint, with any number of readers. */
    private void restartJob() {
        forgetPending();
        restoreOperator();
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
