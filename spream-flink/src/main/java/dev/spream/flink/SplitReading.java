package dev.spream.flink;

import dev.spream.core.ExponentialBackoff;
import dev.spream.core.LoggedFailure;
import dev.spream.core.consume.UndecodableRowException;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.RecordIdentity;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.inflight.InflightRecord;
import dev.spream.core.subscription.reading.PartitionReading;
import dev.spream.core.subscription.reading.QueryWindow;
import dev.spream.core.subscription.reading.ReadPosition;
import dev.spream.core.subscription.reading.RecordHandler;
import java.io.Serial;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reading of one split, on a virtual thread of its own, by the core's rules. It puts what it reads into the reader's
 * queue, and waits there for room, while it is paused, and behind a move-in until the reader lets it proceed.
 */
final class SplitReading implements RecordHandler {
    private static final Logger log = LoggerFactory.getLogger(SplitReading.class);

    /** The number of a move-in that a split already waits for when its reading begins; later ones count from there. */
    static final long RESTORED_MOVE_IN = 1;

    private static final long MARK_BYTES = 64;
    private static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);

    private final PartitionToken token;
    private final String label;
    private final ReadElements elements;
    private final ReaderMetrics metrics;
    private final boolean ordered;
    private final boolean continuesSubscription;
    private final BiFunction<PartitionMode, ReadPosition, PartitionReading> toRead;
    private final Optional<String> settledSequence; // changes at the start with an earlier one are settled
    private final ChangeStreamSource source;
    private final Instant start;
    private final Consumer<Throwable> onFailure;
    private final Runnable onRoom;

    // Of the thread that reads: the changes that were put of the last timestamp, and the moves of the last move's
    // timestamp.
    private final Set<RecordIdentity> put = new HashSet<>();
    private final Set<PartitionEventRecord> moves = new HashSet<>();
    private Instant putAt;
    private Instant lastPut; // the time of the last element

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private boolean paused;
    private boolean givesRoom; // its query is closed while it waits for sources
    private boolean yields; // its query is closed at its next record
    private boolean parked; // its query was closed; a new one waits for room
    private boolean parkedEarly; // behind a move-in, and before all records of its time: others may wait for them
    private boolean readToEnd; // it needs no query any more
    private Instant movedIn = Instant.MIN; // the time of the last move-in
    private long moveIns = RESTORED_MOVE_IN - 1; // the number of the last move-in
    private long proceeded; // the number of the last one whose sources are awaited no more

    private volatile @Nullable PartitionReading reading; // once it is known how the stream divides its keys
    private volatile boolean closed;
    private volatile @Nullable Thread thread;

    SplitReading(
            PartitionSplit split,
            ChangeStreamSource source,
            ReadOptions options,
            ReadElements elements,
            ReaderMetrics metrics,
            Consumer<Throwable> onFailure,
            Runnable onRoom) {
        this.token = split.token();
        this.label = source.streamName() + "/" + token.abbreviated();
        this.elements = elements;
        this.metrics = metrics;
        this.ordered = options.ordered();
        this.continuesSubscription = options.stored().isPresent();
        this.source = source;
        this.start = split.position();
        this.onFailure = onFailure;
        this.onRoom = onRoom;
        this.settledSequence = settledSequence(split);
        this.putAt = split.position();
        this.lastPut = split.position();
        this.put.addAll(split.emitted());
        split.moveIn().filter(moveIn -> ordered).ifPresent(moveIn -> {
            movedIn = moveIn.timestamp();
            moveIns = RESTORED_MOVE_IN;
        });
        this.toRead = (mode, position) -> new PartitionReading(
                source,
                token,
                label,
                position,
                new QueryWindow(options.endTimestamp(), mode, split.query()),
                options.querySettings(source.maxOpenQueries()),
                MonotonicTime.SYSTEM,
                new ExponentialBackoff(Duration.ofMillis(50), Duration.ofSeconds(10), RandomGenerator.getDefault()),
                this,
                this::lost,
                () -> !closed);
    }

    private static Optional<String> settledSequence(PartitionSplit split) {
        return split.token().isOfSnapshot()
                ? split.emitted().stream().map(RecordIdentity::recordSequence).findFirst()
                : split.moveOuts().map(MoveOuts::recordSequence);
    }

    void start(BiFunction<String, Runnable, Thread> threads) {
        thread = threads.apply("spream-flink-" + label, this::run);
    }

    private void run() {
        try {
            Optional<PartitionEnd> proof = readToEnd(partitionMode());
            if (proof.isPresent()) {
                needNoRoom();
                awaitSources(Instant.MAX);
                put(new SplitElement.End(proof.get()), MARK_BYTES);
            }
        } catch (InterruptedException e) {
            if (!closed) {
                onFailure.accept(e);
            }
        } catch (Throwable t) {
            onFailure.accept(t);
        }
    }

    /** Reads to the end; again from the last element where it has given its room to others. */
    private Optional<PartitionEnd> readToEnd(PartitionMode mode) throws InterruptedException {
        while (true) {
            PartitionReading opened = toRead.apply(mode, position());
            reading = opened;
            try {
                return opened.readToEnd();
            } catch (Parked e) {
                log.debug("[{}] its query is closed at {} to make room for others", label, lastPut);
            }
            onRoom.run();
            awaitRoom();
        }
    }

    /** Returns the place of the next query: that of the last element. */
    private ReadPosition position() {
        return new ReadPosition(
                lastPut,
                lastPut.equals(start) ? settledSequence : Optional.empty(),
                putAt.equals(lastPut) ? Set.copyOf(put) : Set.of());
    }

    /** Ends a query so that another partition may be read. */
    private static final class Parked extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1;

        private Parked() {
            super(null, null, false, false);
        }
    }

    private void awaitRoom() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (parked && !closed) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns how the stream divides its keys, asking again while the server cannot be reached. */
    private PartitionMode partitionMode() throws InterruptedException {
        while (true) {
            try {
                return source.partitionMode();
            } catch (SourceException e) {
                if (e.kind() != SourceException.Kind.TRANSIENT) {
                    throw unreadable(e);
                }
                log.warn(
                        "[{}] the change stream cannot be read yet: {}; asking again in {} s",
                        label,
                        LoggedFailure.message(e),
                        RETRY_INTERVAL.toSeconds());
                Thread.sleep(RETRY_INTERVAL);
            }
        }
    }

    private Instant readTo() {
        PartitionReading opened = reading;
        return opened == null ? start : opened.position();
    }

    /** Notes the time of the next element, once it is not paused, unless its query is to be closed before. */
    private void next(Instant at) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed) {
                if (yields || (paused && givesRoom)) {
                    yields = false;
                    parked = true;
                    parkedEarly = isBehindMoveIn();
                    throw new Parked();
                }
                if (!paused) {
                    break;
                }
                changed.await();
            }
        } finally {
            lock.unlock();
        }
        lastPut = at;
    }

    private boolean put(SplitElement element, long bytes) throws InterruptedException {
        if (closed) {
            return false;
        }
        elements.put(new ReadElements.Read(token.value(), element, bytes));
        return true;
    }

    /** Waits until everything that comes before the records after that time may be emitted. */
    private void awaitSources(Instant after) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (isBehindMoveIn() && after.isAfter(movedIn) && !closed) {
                if (givesRoom && !readToEnd) {
                    parked = true;
                    throw new Parked();
                }
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private void needNoRoom() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            readToEnd = true;
            if (!isBehindMoveIn()) {
                return; // its end is emitted soon
            }
        } finally {
            lock.unlock();
        }
        onRoom.run();
    }

    private boolean isBehindMoveIn() {
        return moveIns > proceeded;
    }

    @Override
    public boolean change(DataChangeRecord change, Instant position) throws InterruptedException {
        metrics.fetched(change.commitTimestamp());
        awaitSources(Instant.MAX);
        next(change.commitTimestamp());
        boolean taken = put(new SplitElement.Change(change), InflightRecord.sizeOf(change));
        if (!putAt.equals(change.commitTimestamp())) {
            putAt = change.commitTimestamp();
            put.clear();
        }
        put.add(change.identity());
        return taken;
    }

    @Override
    public boolean children(ChildPartitionsRecord children) throws InterruptedException {
        awaitSources(children.startTimestamp());
        next(children.startTimestamp());
        return put(
                new SplitElement.Children(children),
                MARK_BYTES * (1 + children.childPartitions().size()));
    }

    @Override
    public boolean keepsOrder() {
        return ordered;
    }

    @Override
    public void moved(PartitionEventRecord event) throws InterruptedException {
        awaitSources(event.commitTimestamp());
        if (moves.contains(event)) {
            return; // read again after a move-in of the same time
        }
        moves.removeIf(move -> !move.commitTimestamp().equals(event.commitTimestamp()));
        next(event.commitTimestamp());
        moves.add(event);
        put(
                new SplitElement.Moved(event, ordered && !event.moveInSources().isEmpty() ? movedIn(event) : 0),
                MARK_BYTES);
    }

    /** Lets changes after the move-in wait; returns its number. */
    private long movedIn(PartitionEventRecord event) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            movedIn = event.commitTimestamp();
            moveIns++;
            return moveIns;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void readUpTo(Instant timestamp) throws InterruptedException {
        awaitSources(timestamp);
        next(timestamp);
        put(new SplitElement.ReadUpTo(timestamp), MARK_BYTES);
    }

    @Override
    public boolean keepsUndecodable() {
        return false;
    }

    @Override
    public boolean undecodable(DataChangeRecord standIn, UndecodableRowException failure) {
        throw failure;
    }

    private Optional<PartitionEnd> lost(SourceException failure, boolean expired) {
        throw new FlinkRuntimeException(
                "[%s] changes from %s on are lost to the stream's retention period: %s; none was skipped, and the job fails. Start the job without its state%s, at a later time or with a snapshot"
                        .formatted(
                                label,
                                readTo(),
                                failure.getMessage(),
                                continuesSubscription ? " and without the stored subscription" : ""),
                failure);
    }

    @Override
    public RuntimeException unreadable(SourceException failure) {
        return new FlinkRuntimeException(
                "[%s] the partition cannot be read any further than %s: %s; the job fails, and continues from its last checkpoint"
                        .formatted(label, readTo(), failure.getMessage()),
                failure);
    }

    @Override
    public RuntimeException outOfOrder(DataChangeRecord change, Instant latestChange) {
        return new FlinkRuntimeException(
                "[%s] the server returned %s after a change of %s; it is not emitted, because a later change of its key was: the job fails, and continues from its last checkpoint"
                        .formatted(label, change.identity(), latestChange));
    }

    /** Lets it emit what comes after the move-in of that number, unless it has read another one by now. */
    void proceed(long moveIn) {
        lock.lock();
        try {
            proceeded = Math.max(proceeded, moveIn);
            if (!isBehindMoveIn()) {
                givesRoom = false;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Closes its query as soon as it waits for the sources of a move-in, or while it is paused: behind a move-in then in front
     * of the next record of its time, too.
     */
    void giveRoom() {
        lock.lock();
        try {
            if (isBehindMoveIn()) {
                givesRoom = true;
                changed.signalAll();
            } else if (paused) {
                yieldAtNextRecord();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Closes its query at its next record, so that one that is further behind may be read. */
    void yieldRoom() {
        lock.lock();
        try {
            yieldAtNextRecord();
        } finally {
            lock.unlock();
        }
    }

    private void yieldAtNextRecord() {
        yields = !parked && !readToEnd && !isBehindMoveIn() && !token.isOfSnapshot();
        changed.signalAll();
    }

    /** Returns whether it has closed its query and is to open another one: see {@link #resume}. */
    boolean waitsForRoom() {
        lock.lock();
        try {
            return parked && !paused && (parkedEarly || !isBehindMoveIn());
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether it has a query, or is about to open one. */
    boolean needsRoom() {
        lock.lock();
        try {
            return !parked && !(readToEnd && isBehindMoveIn());
        } finally {
            lock.unlock();
        }
    }

    /** Opens a query again. */
    void resume() {
        lock.lock();
        try {
            parked = false;
            parkedEarly = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Pauses or resumes it. */
    void pause(boolean pauses) {
        lock.lock();
        try {
            paused = pauses;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void cancelIfStalled() {
        PartitionReading opened = reading;
        if (opened != null) {
            opened.cancelIfStalled();
        }
    }

    /** Stops reading; returns its thread, which ends soon. */
    List<Thread> close() {
        closed = true;
        PartitionReading opened = reading;
        if (opened != null) {
            opened.close();
        }
        Thread running = thread;
        if (running == null) {
            return List.of();
        }
        running.interrupt();
        return List.of(running);
    }
}
