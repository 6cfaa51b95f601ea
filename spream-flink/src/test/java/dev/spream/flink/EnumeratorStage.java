package dev.spream.flink;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static dev.spream.testkit.subscription.ScriptedSource.at;

import dev.spream.core.consume.Ordering;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.connector.testutils.source.reader.TestingSplitEnumeratorContext;
import org.jspecify.annotations.Nullable;

/**
 * An enumerator with Flink's context for tests, whose readers are played by the test: each message takes the way through its
 * serialized form, and is handled at once.
 */
final class EnumeratorStage {
    final Context context;
    final PartitionEnumerator enumerator;
    private final Map<Integer, Integer> seenSplits = new HashMap<>();
    private final Map<Integer, Integer> seenEvents = new HashMap<>();
    private Instant now;
    private int clockReadings;

    /** Flink's context, in which readers can fail. */
    static final class Context extends TestingSplitEnumeratorContext<PartitionSplit> {
        private final Set<Integer> failed = new HashSet<>();
        private int computations;

        Context(int parallelism) {
            super(parallelism);
        }

        @Override
        public void runInCoordinatorThread(Runnable computation) {
            computations++;
            super.runInCoordinatorThread(computation);
        }

        @Override
        public Map<Integer, ReaderInfo> registeredReaders() {
            Map<Integer, ReaderInfo> readers = new HashMap<>(super.registeredReaders());
            readers.keySet().removeAll(failed);
            return readers;
        }
    }

    EnumeratorStage(int readers, ScriptedSource source, ReadOptions options, @Nullable EnumeratorState restored) {
        this.now = at(0);
        this.context = new Context(readers);
        this.enumerator = new PartitionEnumerator(context, source, options, this::readClock, restored);
        enumerator.start();
        run();
    }

    private Instant readClock() {
        clockReadings++;
        return now;
    }

    /** Returns how many times the enumerator has computed what may be read, over all partitions. */
    int computations() {
        return context.computations;
    }

    int clockReadings() {
        return clockReadings;
    }

    static EnumeratorStage begin(int readers) {
        return begin(readers, options(Ordering.KEY, Optional.empty()));
    }

    static EnumeratorStage begin(int readers, ReadOptions options) {
        EnumeratorStage stage = new EnumeratorStage(readers, new ScriptedSource(), options, null);
        for (int reader = 0; reader < readers; reader++) {
            stage.started(reader);
        }
        return stage;
    }

    /** Restores the state of a checkpoint, through its serialized form; no reader has started. */
    static EnumeratorStage restore(int readers, EnumeratorState state) {
        return restore(readers, state, options(Ordering.KEY, Optional.empty()));
    }

    static EnumeratorStage restore(int readers, EnumeratorState state, ReadOptions options) {
        return new EnumeratorStage(readers, new ScriptedSource(), options, copy(state));
    }

    static EnumeratorState copy(EnumeratorState state) {
        EnumeratorStateSerializer serializer = new EnumeratorStateSerializer();
        try {
            return serializer.deserialize(serializer.getVersion(), serializer.serialize(state));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ReadOptions options(Ordering ordering, Optional<Instant> end) {
        return options(ordering, Optional.of(START), end);
    }

    static ReadOptions options(Ordering ordering, Optional<Instant> start, Optional<Instant> end) {
        return new ReadOptions(start, end, false, ordering, Duration.ofSeconds(1), Duration.ofMillis(200), 5, 1 << 20);
    }

    /** Assigns the root to reader 0, which reads it to its end: it has these children. Taken and settled. */
    EnumeratorStage roots(String... children) {
        splitsOf(0);
        send(
                0,
                new ReaderEvent.ChildrenFound(PartitionToken.ROOT, children(0, child(List.of(), children))),
                new ReaderEvent.ReadToEnd(
                        progress("Parent0", 0), PartitionEnd.childPartitions(at(0), tokens(children))));
        checkpoint(1);
        complete(1);
        return this;
    }

    void started(int reader, PartitionSplit... restored) {
        startedWithRoom(reader, 1000, restored);
    }

    void startedWithRoom(int reader, int capacity, PartitionSplit... restored) {
        if (!context.failed.remove(reader)) {
            context.registerReader(reader, "host");
        }
        enumerator.addReader(reader);
        send(reader, new ReaderEvent.Restored(List.of(restored)), new ReaderEvent.ReaderStarted(capacity));
    }

    /** Fails a reader; these splits were assigned since the last checkpoint. */
    void failed(int reader, PartitionSplit... lost) {
        context.failed.add(reader);
        enumerator.addSplitsBack(List.of(lost), reader);
        run();
    }

    /** Sends messages that arrive together. */
    void send(int reader, SourceEvent... events) {
        for (SourceEvent event : events) {
            enumerator.handleSourceEvent(reader, sent(event));
        }
        run();
    }

    static SourceEvent sent(SourceEvent event) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(event);
            }
            return (SourceEvent) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs what the enumerator has scheduled, its timer included; throws what a timer has thrown. */
    void run() {
        context.triggerAllActions();
        for (Future<?> timer : context.getExecutorService().getAllPeriodicScheduledTask()) {
            if (timer.state() == Future.State.FAILED) {
                throw (RuntimeException) timer.exceptionNow();
            }
        }
    }

    void pass(Duration time) {
        now = now.plus(time);
        run();
    }

    static ChildPartition[] child(List<String> parents, String... tokens) {
        return Arrays.stream(tokens)
                .map(token -> new ChildPartition(token, parents))
                .toArray(ChildPartition[]::new);
    }

    static ChildPartitionsRecord children(long second, ChildPartition... children) {
        return new ChildPartitionsRecord(at(second), "0", List.of(children));
    }

    void found(int reader, String parent, long second, ChildPartition... children) {
        send(reader, new ReaderEvent.ChildrenFound(new PartitionToken(parent), children(second, children)));
    }

    void ended(int reader, String partition, long second, String... children) {
        send(
                reader,
                new ReaderEvent.ReadToEnd(
                        progress(partition, second), PartitionEnd.childPartitions(at(second), tokens(children))));
    }

    /** Reads a partition to its end, where it is split. */
    void split(int reader, String partition, long second, String... children) {
        found(reader, partition, second, child(List.of(partition), children));
        ended(reader, partition, second, children);
    }

    void progressed(int reader, String partition, long second) {
        send(reader, new ReaderEvent.Progress(List.of(progress(partition, second))));
    }

    void movedOut(int reader, String partition, long second, String destination) {
        send(
                reader,
                new ReaderEvent.Progress(List.of(new SplitProgress(
                        new PartitionToken(partition),
                        at(second),
                        Optional.of(new MoveOuts("1", tokens(destination))),
                        List.of()))));
    }

    void movedIn(int reader, String partition, long second, String... sources) {
        send(reader, new ReaderEvent.MovedIn(new PartitionToken(partition), new MoveIn(at(second), tokens(sources))));
    }

    static SplitProgress progress(String partition, long second) {
        return new SplitProgress(new PartitionToken(partition), at(second), Optional.empty(), List.of());
    }

    static List<PartitionToken> tokens(String... tokens) {
        return Arrays.stream(tokens).map(PartitionToken::new).toList();
    }

    EnumeratorState checkpoint(long id) {
        return enumerator.snapshotState(id);
    }

    void complete(long id) {
        enumerator.notifyCheckpointComplete(id);
        run();
    }

    /** Returns the splits that the reader was given since the last call. */
    List<PartitionSplit> splitsOf(int reader) {
        var state = context.getSplitAssignments().get(reader);
        List<PartitionSplit> all = state == null ? List.of() : state.getAssignedSplits();
        int seen = seenSplits.getOrDefault(reader, 0);
        seenSplits.put(reader, all.size());
        return List.copyOf(all.subList(seen, all.size()));
    }

    List<String> given(int reader) {
        return splitsOf(reader).stream().map(PartitionSplit::splitId).toList();
    }

    /** Returns the messages that the reader was sent since the last call. */
    List<EnumeratorEvent> messagesTo(int reader) {
        List<SourceEvent> all = context.getSentEvents().getOrDefault(reader, List.of());
        int seen = seenEvents.getOrDefault(reader, 0);
        seenEvents.put(reader, all.size());
        List<EnumeratorEvent> messages = new ArrayList<>();
        all.subList(seen, all.size()).forEach(event -> messages.add((EnumeratorEvent) sent(event)));
        return messages;
    }

    <T extends EnumeratorEvent> List<T> messagesTo(int reader, Class<T> type) {
        return messagesTo(reader).stream()
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    boolean isEnded(int reader) {
        var state = context.getSplitAssignments().get(reader);
        return state != null && state.hasReceivedNoMoreSplitsSignal();
    }

    static <T> List<T> sorted(Collection<T> values) {
        return values.stream().sorted().toList();
    }
}
