package dev.spream.flink;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.source.ChangeStreamSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.connector.testutils.source.reader.TestingReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * A reader and its part of Flink. An output for each split is open from its arrival on, and holds the watermark of the reader
 * until it has one. Beyond the watermark that its alignment group allows, splits are paused and the reader is not polled.
 */
final class SimulatedReader implements ReaderOutput<SimulatedReader.Change> {

    /** A change of a key. */
    record Change(int key, int second) {}

    /** The watermark that an alignment group allows. */
    record Alignment(long allowed) {}

    private final Map<String, Output> outputs = new LinkedHashMap<>();
    private final Set<String> splits = new LinkedHashSet<>();
    private final Set<String> paused = new HashSet<>();
    private final int subtask;
    private final SimulatedThreads threads;
    private final boolean losesFirstWatermarks;
    private @Nullable PartitionSourceReader<Change> reader; // once it is registered
    private long allowed = Long.MAX_VALUE;
    private long watermark = Long.MIN_VALUE;
    private Instant low = Instant.MIN;

    final List<PartitionSplit> restored = new ArrayList<>();
    final Deque<SourceEvent> messages = new ArrayDeque<>(); // to the enumerator
    final Deque<Object> channel = new ArrayDeque<>(); // to the operator: changes, and numbers of checkpoints
    final Deque<Object> gateway = new ArrayDeque<>(); // from the enumerator, with numbers of checkpoints
    boolean blocked; // the operator has its barrier

    /** @param losesFirstWatermarks whether the first watermark of each output is lost */
    SimulatedReader(int subtask, SimulatedThreads threads, boolean losesFirstWatermarks) {
        this.subtask = subtask;
        this.threads = threads;
        this.losesFirstWatermarks = losesFirstWatermarks;
    }

    void start(ChangeStreamSource source, ReadOptions options) {
        TestingReaderContext context = new TestingReaderContext() {
            @Override
            public void sendSourceEventToCoordinator(SourceEvent event) {
                messages.add(EnumeratorStage.sent(event));
            }
        };
        PartitionSourceReader<Change> started = new PartitionSourceReader<>(
                context, source, options, new Changes(), (name, task) -> threads.start(subtask, name, task));
        reader = started;
        add(started, restored);
        started.start();
        threads.settle();
    }

    private void add(PartitionSourceReader<Change> to, List<PartitionSplit> added) {
        for (PartitionSplit split : added) {
            assertThat(splits.add(split.splitId())).as(split.splitId()).isTrue();
            createOutputForSplit(split.splitId());
        }
        to.addSplits(added);
    }

    boolean isStarted() {
        return reader != null;
    }

    /** Returns the watermark that it reports to its alignment group. */
    long watermark() {
        return watermark;
    }

    void poll() throws Exception {
        if (reader != null && watermark <= allowed && reader.pollNext(this) == InputStatus.END_OF_INPUT) {
            watermark = Long.MAX_VALUE;
        }
        threads.settle();
    }

    /** Returns whether everything was read and emitted, and nothing follows. */
    boolean isEnded() {
        return watermark == Long.MAX_VALUE;
    }

    /** Has the next poll do what is due from time to time. */
    void pass() {
        if (reader != null) {
            reader.reportSoon();
            reader.roomGiven();
        }
    }

    void close() {
        if (reader != null) {
            reader.close();
            threads.settle();
        }
    }

    /** Handles a split, a message, or the end of splits. */
    void handle(Object next) {
        PartitionSourceReader<Change> running = requireNonNull(reader);
        switch (next) {
            case PartitionSplit split -> add(running, List.of(split));
            case Alignment alignment -> align(alignment.allowed());
            case EnumeratorEvent event -> {
                running.handleSourceEvents(event);
                if (event instanceof EnumeratorEvent.LowWatermark message
                        && message.timestamp().isAfter(low)) {
                    low = message.timestamp();
                }
            }
            default -> running.notifyNoMoreSplits();
        }
        threads.settle();
    }

    List<PartitionSplit> snapshot(long checkpoint) {
        PartitionSourceReader<Change> running = requireNonNull(reader);
        channel.add(checkpoint);
        return running.snapshotState(checkpoint);
    }

    private void align(long to) {
        allowed = to;
        List.copyOf(splits).forEach(this::pauseOrResume);
    }

    private void pauseOrResume(String split) {
        Output output = outputs.get(split);
        PartitionSourceReader<Change> running = reader;
        if (output == null || running == null || !splits.contains(split)) {
            return;
        }
        if (output.time > allowed ? paused.add(split) : paused.remove(split)) {
            boolean pauses = paused.contains(split);
            running.pauseOrResumeSplits(pauses ? List.of(split) : List.of(), pauses ? List.of() : List.of(split));
            threads.settle();
        }
    }

    private void combine() {
        outputs.values().stream().mapToLong(output -> output.time).min().ifPresent(combined -> {
            watermark = Math.max(watermark, combined);
        });
    }

    @Override
    public SourceOutput<Change> createOutputForSplit(String split) {
        return outputs.computeIfAbsent(split, Output::new);
    }

    @Override
    public void releaseOutputForSplit(String split) {
        outputs.remove(split);
        splits.remove(split);
        combine();
    }

    private final class Output implements SourceOutput<Change> {
        private final String split;
        private long time = Long.MIN_VALUE;
        private boolean loses = losesFirstWatermarks;

        private Output(String split) {
            this.split = split;
        }

        @Override
        public void collect(Change change, long timestamp) {
            assertThat(timestamp).as("a change after a later watermark").isGreaterThan(watermark);
            assertThat(Instant.ofEpochMilli(timestamp))
                    .as("a change before the low watermark")
                    .isAfterOrEqualTo(low);
            channel.add(change);
        }

        @Override
        public void emitWatermark(Watermark next) {
            if (loses && splits.contains(split)) {
                loses = false;
            } else if (next.getTimestamp() > time) {
                time = next.getTimestamp();
                combine();
                pauseOrResume(split);
            }
        }

        @Override
        public void collect(Change change) {
            throw new IllegalStateException("a change without a timestamp: " + change);
        }

        @Override
        public void markIdle() {}

        @Override
        public void markActive() {}
    }

    @Override
    public void collect(Change change) {
        throw new IllegalStateException("a change without a split: " + change);
    }

    @Override
    public void collect(Change change, long timestamp) {
        collect(change);
    }

    @Override
    public void emitWatermark(Watermark next) {
        throw new IllegalStateException("a watermark without a split: " + next);
    }

    @Override
    public void markIdle() {}

    @Override
    public void markActive() {}

    private static final class Changes implements ChangeDeserializationSchema<Change> {
        private static final long serialVersionUID = 1;

        @Override
        public void deserialize(DataChangeRecord record, Collector<Change> out) {
            int second = (int) Duration.between(START, record.commitTimestamp()).toSeconds();
            for (Mod mod : record.mods()) {
                out.collect(new Change(Integer.parseInt(mod.keys().string("Id").orElseThrow()), second));
            }
        }

        @Override
        public TypeInformation<Change> getProducedType() {
            return TypeInformation.of(Change.class);
        }
    }
}
