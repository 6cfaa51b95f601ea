package dev.spream.flink;

import static java.util.Objects.requireNonNull;

import dev.spream.core.internal.ReaderThreads;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.source.ChangeStreamSource;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.util.Collector;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the partitions of one subtask and emits their changes. Each partition is read on a virtual thread; everything else,
 * the state of the splits included, is confined to the task's thread.
 *
 * <p>A split stays in the state until the enumerator has stored its end, and children that it named until they are
 * stored: whatever the enumerator's part of a checkpoint lacks is in the reader's part, and is reported again after a
 * restore.
 *
 * @param <T> the type of the elements
 */
final class PartitionSourceReader<T> implements SourceReader<T, PartitionSplit> {
    private static final Logger log = LoggerFactory.getLogger(PartitionSourceReader.class);
    private static final String LOW_WATERMARK = "low watermark"; // the output of no split
    private static final Duration STALL_CHECK = Duration.ofSeconds(1);
    private static final int PART = 500; // the splits in a message
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(5);

    /** A split of this reader. */
    private final class Held {
        private final SplitState state;
        private @Nullable SourceOutput<T> output;
        private boolean paused;

        private Held(PartitionSplit split) {
            this.state = new SplitState(split);
        }
    }

    private final SourceReaderContext context;
    private final ChangeStreamSource source;
    private final ReadOptions options;
    private final ChangeDeserializationSchema<T> schema;
    private final int capacity;
    private final ReadElements elements;
    private final ReaderMetrics metrics;
    private final BiFunction<String, Runnable, Thread> threads;
    private final Map<String, Held> splits = new LinkedHashMap<>();
    private final Map<String, SplitReading> readings = new ConcurrentHashMap<>(); // of those that have not ended
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Emitter emitter = new Emitter();

    private boolean noMoreSplits;
    private final List<Held> unprepared = new ArrayList<>(); // their outputs are open, and have no watermark
    private final Set<Held> waiting = new LinkedHashSet<>(); // those beyond the capacity
    private boolean started;
    private @Nullable Instant lowWatermark; // received and not emitted
    private @Nullable SourceOutput<T> lowWatermarkOutput;
    private @Nullable Thread timer;
    private volatile boolean reportDue;
    private volatile boolean roomDue; // a reading has given its room
    private volatile boolean closed;

    /** @param source closed by the reader */
    PartitionSourceReader(
            SourceReaderContext context,
            ChangeStreamSource source,
            ReadOptions options,
            ChangeDeserializationSchema<T> schema) {
        this(
                context,
                source,
                options,
                schema,
                (name, task) -> ReaderThreads.builder().name(name).start(task));
    }

    /** @param threads starts a thread of that name */
    PartitionSourceReader(
            SourceReaderContext context,
            ChangeStreamSource source,
            ReadOptions options,
            ChangeDeserializationSchema<T> schema,
            BiFunction<String, Runnable, Thread> threads) {
        this.context = context;
        this.source = source;
        this.options = options;
        this.schema = schema;
        this.threads = threads;
        this.capacity = source.maxOpenQueries();
        this.elements = new ReadElements(options.maxQueuedBytes());
        this.metrics = new ReaderMetrics(context.metricGroup(), InstantSource.system());
    }

    @Override
    public void start() {
        started = true;
        List<PartitionSplit> restored = splits.values().stream()
                .map(held -> held.state.split().withoutEmitted())
                .toList();
        sendInParts(restored, ReaderEvent.Restored::new);
        send(new ReaderEvent.ReaderStarted(capacity));
        splits.values().forEach(this::read);
        if (!waiting.isEmpty()) {
            log.warn(
                    "[{}] {} partitions wait, because the limit of {} open queries is reached; raise the parallelism, or the number of queries that the source allows, before their changes expire",
                    source.streamName(),
                    waiting.size(),
                    capacity);
        }
        timer = threads.apply("spream-flink-timer-" + source.streamName(), this::time);
    }

    private void time() {
        long checked = System.nanoTime();
        long reported = checked;
        Duration period = options.reportInterval().compareTo(STALL_CHECK) < 0 ? options.reportInterval() : STALL_CHECK;
        while (!closed) {
            try {
                Thread.sleep(period);
            } catch (InterruptedException e) {
                return;
            }
            long now = System.nanoTime();
            if (now - reported >= options.reportInterval().toNanos()) {
                reported = now;
                reportSoon();
            }
            if (now - checked >= STALL_CHECK.toNanos()) {
                checked = now;
                readings.values().forEach(SplitReading::cancelIfStalled);
                roomGiven(); // one that waits may be far behind another by now
            }
        }
    }

    /** Has the next poll report how far partitions were emitted. */
    void reportSoon() {
        reportDue = true;
        elements.wake();
    }

    @Override
    public void addSplits(List<PartitionSplit> added) {
        for (PartitionSplit split : added) {
            Held held = new Held(split);
            splits.put(split.splitId(), held);
            unprepared.add(held);
            if (started) {
                repeatReports(split);
                read(held);
            }
        }
        elements.wake();
    }

    /** A split that comes back from another reader has what that one found and the enumerator may not have stored. */
    private void repeatReports(PartitionSplit split) {
        split.children().forEach(children -> send(new ReaderEvent.ChildrenFound(split.token(), children)));
        split.moveIn().ifPresent(moveIn -> send(new ReaderEvent.MovedIn(split.token(), moveIn)));
        split.end().ifPresent(proof -> send(new ReaderEvent.ReadToEnd(split.progress(), proof)));
    }

    private void read(Held held) {
        if (!held.state.isEnded()) {
            waiting.add(held);
            readWaiting();
        }
    }

    /**
     * Reads as many of those that wait as there is room for, the oldest first. If that is not all, those that wait for a
     * move-in give their room to them, which may be its sources, and so do those that are paused, and the one that is
     * furthest ahead.
     */
    private void readWaiting() {
        readings.forEach((id, reading) -> {
            Held held = requireNonNull(splits.get(id));
            if (!reading.waitsForRoom()) {
                waiting.remove(held); // it was paused while it waited
            } else {
                waiting.add(held);
            }
        });
        if (waiting.isEmpty()) {
            return;
        }
        long open = readings.values().stream().filter(SplitReading::needsRoom).count();
        for (; open < capacity && !waiting.isEmpty(); open++) {
            Held oldest = oldestWaiting();
            waiting.remove(oldest);
            SplitReading known = readings.get(oldest.state.token().value());
            if (known == null) {
                begin(oldest);
            } else {
                known.resume();
            }
        }
        if (!waiting.isEmpty()) {
            readings.values().forEach(SplitReading::giveRoom);
            Instant behind = oldestWaiting().state.position().plus(options.turn());
            readings.entrySet().stream()
                    .filter(entry -> entry.getValue().needsRoom())
                    .max(Comparator.comparing(entry -> positionOf(entry.getKey())))
                    .filter(entry -> positionOf(entry.getKey()).isAfter(behind))
                    .ifPresent(entry -> entry.getValue().yieldRoom());
        }
    }

    /** Returns the one that is furthest behind: what was read of it may be emitted while it waits. */
    private Held oldestWaiting() {
        return waiting.stream()
                .min(Comparator.comparing(held -> held.state.position()))
                .orElseThrow();
    }

    private Instant positionOf(String splitId) {
        return requireNonNull(splits.get(splitId)).state.position();
    }

    private void begin(Held held) {
        PartitionSplit split = held.state.split();
        SplitReading reading =
                new SplitReading(split, source, options, elements, metrics, this::failed, this::roomGiven);
        readings.put(split.splitId(), reading);
        reading.pause(held.paused);
        reading.start(threads);
    }

    /** Has the next poll look at which partitions are read. */
    void roomGiven() {
        roomDue = true;
        elements.wake();
    }

    private void failed(Throwable thrown) {
        failure.compareAndSet(null, thrown);
        elements.wake();
    }

    @Override
    public InputStatus pollNext(ReaderOutput<T> output) throws Exception {
        elements.looking();
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw thrown instanceof Exception e ? e : new FlinkRuntimeException(thrown);
        }
        prepare(output);
        emitLowWatermark();
        if (roomDue) {
            roomDue = false;
            readWaiting();
        }
        ReadElements.Read read = elements.poll();
        if (read != null) {
            emit(read, output);
        }
        if (reportDue) {
            reportDue = false;
            report(output);
        }
        if (!elements.isEmpty()) {
            return InputStatus.MORE_AVAILABLE;
        }
        return noMoreSplits && isAllEnded() ? InputStatus.END_OF_INPUT : InputStatus.NOTHING_AVAILABLE;
    }

    private boolean isAllEnded() {
        return splits.values().stream().allMatch(held -> held.state.isEnded());
    }

    /**
     * Opens the output of the low watermark before any other, and prepares those that Flink has opened for new splits: each
     * holds the watermark of the reader, and with it all splits of its alignment group, until it has one or is closed. A split
     * may wait for one of those before it has emitted anything.
     */
    private void prepare(ReaderOutput<T> output) {
        if (lowWatermarkOutput == null) {
            lowWatermarkOutput = output.createOutputForSplit(LOW_WATERMARK);
        }
        for (Held held : unprepared) {
            if (held.state.isEnded()) {
                output.releaseOutputForSplit(held.state.token().value());
            } else {
                outputOf(held, output);
            }
        }
        unprepared.clear();
    }

    private void emitLowWatermark() {
        Instant low = lowWatermark;
        if (low != null && lowWatermarkOutput != null) {
            lowWatermarkOutput.emitWatermark(watermark(low));
            lowWatermark = null;
        }
    }

    /** Returns the watermark that says that no change before that time follows. */
    private static Watermark watermark(Instant timestamp) {
        return new Watermark(timestamp.toEpochMilli() - 1);
    }

    private void emit(ReadElements.Read read, ReaderOutput<T> output) throws IOException {
        Held held = requireNonNull(splits.get(read.splitId()));
        SplitState state = held.state;
        switch (read.element()) {
            case SplitElement.Change(DataChangeRecord record) -> {
                metrics.emitted(read.bytes());
                emitter.emit(record, outputOf(held, output));
                state.emitted(record);
            }
            case SplitElement.ReadUpTo(Instant timestamp) -> {
                state.readUpTo(timestamp);
                outputOf(held, output).emitWatermark(watermark(timestamp));
            }
            case SplitElement.Children(ChildPartitionsRecord record) -> {
                state.found(record);
                send(new ReaderEvent.ChildrenFound(state.token(), record));
            }
            case SplitElement.Moved(PartitionEventRecord record, long number) ->
                state.moved(record, number).ifPresent(moveIn -> {
                    send(new ReaderEvent.MovedIn(state.token(), moveIn));
                    readWaiting();
                });
            case SplitElement.End end -> {
                state.ended(end.proof());
                readings.remove(read.splitId());
                output.releaseOutputForSplit(read.splitId());
                readWaiting();
                send(new ReaderEvent.ReadToEnd(state.progress(), end.proof()));
            }
        }
    }

    private SourceOutput<T> outputOf(Held held, ReaderOutput<T> output) {
        SourceOutput<T> known = held.output;
        if (known == null) {
            known = output.createOutputForSplit(held.state.token().value());
            known.emitWatermark(watermark(held.state.position()));
            held.output = known;
        }
        return known;
    }

    /** Passes the elements of one change on, with its commit timestamp. */
    private final class Emitter implements Collector<T> {
        private @Nullable SourceOutput<T> output;
        private long timestamp;

        private void emit(DataChangeRecord record, SourceOutput<T> to) throws IOException {
            output = to;
            timestamp = record.commitTimestamp().toEpochMilli();
            try {
                schema.deserialize(record, this);
            } catch (IOException | RuntimeException e) {
                metrics.failed();
                throw e;
            } finally {
                output = null; // a schema that keeps the collector must not emit later
            }
        }

        @Override
        public void collect(T element) {
            requireNonNull(output, "an element outside of deserialize").collect(element, timestamp);
        }

        @Override
        public void close() {}
    }

    /** Reports how far partitions were emitted; a busy one has no heartbeats, and its watermark moves here. */
    private void report(ReaderOutput<T> output) {
        List<SplitProgress> progress = new ArrayList<>();
        for (Held held : splits.values()) {
            if (!held.state.isEnded() && held.state.takeProgressed()) {
                progress.add(held.state.progress());
                outputOf(held, output).emitWatermark(watermark(held.state.position()));
            }
        }
        sendInParts(progress, ReaderEvent.Progress::new);
    }

    /**
     * Reports the same without a poll: Flink polls no reader whose watermark is too far ahead of the others in its
     * alignment group, and one of those may wait for what this one has emitted.
     */
    private void reportHeldUp() {
        sendInParts(
                splits.values().stream()
                        .map(held -> held.state)
                        .filter(state -> !state.isEnded() && state.hasProgressed())
                        .map(SplitState::progress)
                        .toList(),
                ReaderEvent.Progress::new);
    }

    /** Sends messages of a limited size: Flink refuses one of more than 10 MB, by default. */
    private <E> void sendInParts(List<E> all, Function<List<E>, ReaderEvent> message) {
        for (int from = 0; from < all.size(); from += PART) {
            send(message.apply(all.subList(from, Math.min(from + PART, all.size()))));
        }
    }

    private void send(ReaderEvent event) {
        context.sendSourceEventToCoordinator(event);
    }

    @Override
    public void handleSourceEvents(SourceEvent event) {
        if (!(event instanceof EnumeratorEvent message)) {
            throw new IllegalArgumentException("an unknown message of the enumerator: " + event);
        }
        switch (message) {
            case EnumeratorEvent.ChildrenStored stored ->
                held(stored.token().value()).ifPresent(held -> held.state.stored(stored.children()));
            case EnumeratorEvent.EndStored stored -> forget(stored.token().value());
            case EnumeratorEvent.Proceed proceed ->
                held(proceed.token().value())
                        .ifPresent(held ->
                                held.state.proceed(proceed.moveIn()).ifPresent(number -> proceed(held, number)));
            case EnumeratorEvent.LowWatermark low -> {
                lowWatermark = low.timestamp();
                elements.wake();
            }
        }
    }

    private Optional<Held> held(String splitId) {
        return Optional.ofNullable(splits.get(splitId));
    }

    private void proceed(Held held, long moveIn) {
        SplitReading reading = readings.get(held.state.token().value());
        if (reading != null) {
            reading.proceed(moveIn);
            readWaiting();
        }
    }

    private void forget(String splitId) {
        if (held(splitId).filter(held -> held.state.isEnded()).isPresent()) {
            splits.remove(splitId);
            elements.wake();
        }
    }

    @Override
    public List<PartitionSplit> snapshotState(long checkpoint) {
        reportHeldUp();
        return splits.values().stream().map(held -> held.state.split()).toList();
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return elements.available();
    }

    @Override
    public void notifyNoMoreSplits() {
        noMoreSplits = true;
        elements.wake();
    }

    @Override
    public void pauseOrResumeSplits(Collection<String> paused, Collection<String> resumed) {
        paused.forEach(split -> pause(split, true));
        resumed.forEach(split -> pause(split, false));
        readWaiting();
        reportHeldUp();
    }

    private void pause(String splitId, boolean pauses) {
        held(splitId).ifPresent(held -> held.paused = pauses);
        Optional.ofNullable(readings.get(splitId)).ifPresent(reading -> reading.pause(pauses));
    }

    @Override
    public void close() {
        closed = true;
        List<Thread> running = new ArrayList<>();
        for (SplitReading reading : readings.values()) {
            running.addAll(reading.close());
        }
        Thread ticking = timer;
        if (ticking != null) {
            ticking.interrupt();
            running.add(ticking);
        }
        try {
            join(running);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // they end by themselves
        } finally {
            source.close();
        }
    }

    private static void join(List<Thread> threads) throws InterruptedException {
        long deadline = System.nanoTime() + STOP_TIMEOUT.toNanos();
        for (Thread thread : threads) {
            thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
        }
    }
}
