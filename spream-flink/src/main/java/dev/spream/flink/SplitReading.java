package dev.spream.flink;

import dev.spream.core.ExponentialBackoff;
import dev.spream.core.consume.UndecodableRowException;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.RecordIdentity;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.inflight.InflightRecord;
import dev.spream.core.subscription.reading.PartitionReading;
import dev.spream.core.subscription.reading.QuerySettings;
import dev.spream.core.subscription.reading.QueryWindow;
import dev.spream.core.subscription.reading.ReadPosition;
import dev.spream.core.subscription.reading.RecordHandler;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;

/**
 * The reading of one split, on a virtual thread of its own, by the core's rules. It puts what it reads into the reader's
 * queue, and waits there for room, while it is paused, and behind a move-in until the reader lets it proceed.
 */
final class SplitReading implements RecordHandler {
    private static final long MARK_BYTES = 64;

    private final PartitionToken token;
    private final String label;
    private final ReadElements elements;
    private final boolean ordered;
    private final PartitionReading reading;
    private final Consumer<Throwable> onFailure;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private boolean paused;
    private @Nullable Instant movedIn; // the time of the last move-in, while its sources are awaited

    private volatile boolean closed;
    private volatile @Nullable Thread thread;

    SplitReading(
            PartitionSplit split,
            ChangeStreamSource source,
            QueryWindow window,
            QuerySettings settings,
            boolean ordered,
            ReadElements elements,
            Consumer<Throwable> onFailure) {
        this.token = split.token();
        this.label = source.streamName() + "/" + token.abbreviated();
        this.elements = elements;
        this.ordered = ordered;
        this.onFailure = onFailure;
        this.movedIn = split.moveIn().map(MoveIn::timestamp).orElse(null);
        this.reading = new PartitionReading(
                source,
                token,
                label,
                position(split),
                window,
                settings,
                MonotonicTime.SYSTEM,
                new ExponentialBackoff(Duration.ofMillis(50), Duration.ofSeconds(10), RandomGenerator.getDefault()),
                this,
                this::lost,
                () -> !closed);
    }

    private static ReadPosition position(PartitionSplit split) {
        Set<RecordIdentity> emitted = split.emitted();
        Optional<String> sequence = split.token().isOfSnapshot()
                ? emitted.stream().map(RecordIdentity::recordSequence).findFirst()
                : Optional.empty();
        return new ReadPosition(split.position(), sequence, emitted);
    }

    void start() {
        thread = Thread.ofVirtual().name("spream-flink-" + label).start(this::run);
    }

    private void run() {
        try {
            Optional<PartitionEnd> proof = reading.readToEnd();
            if (proof.isPresent()) {
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

    private boolean put(SplitElement element, long bytes) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (paused && !closed) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
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
            while (movedIn != null && after.isAfter(movedIn) && !closed) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean change(DataChangeRecord change, Instant position) throws InterruptedException {
        awaitSources(Instant.MAX);
        return put(new SplitElement.Change(change), InflightRecord.sizeOf(change));
    }

    @Override
    public boolean children(ChildPartitionsRecord children) throws InterruptedException {
        awaitSources(children.startTimestamp());
        return put(
                new SplitElement.Children(children),
                MARK_BYTES * (1 + children.childPartitions().size()));
    }

    @Override
    public void moved(PartitionEventRecord event) throws InterruptedException {
        awaitSources(event.commitTimestamp());
        if (ordered && !event.moveInSources().isEmpty()) {
            lock.lockInterruptibly();
            try {
                movedIn = event.commitTimestamp();
            } finally {
                lock.unlock();
            }
        }
        put(new SplitElement.Moved(event), MARK_BYTES);
    }

    @Override
    public void readUpTo(Instant timestamp) throws InterruptedException {
        awaitSources(timestamp);
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
                "[%s] changes from %s on are lost to the stream's retention period: %s; none was skipped, and the job fails. Start the job without its state, at a later time"
                        .formatted(label, reading.position(), failure.getMessage()),
                failure);
    }

    @Override
    public RuntimeException unreadable(SourceException failure) {
        return new FlinkRuntimeException(
                "[%s] the partition cannot be read any further than %s: %s; the job fails, and continues from its last checkpoint"
                        .formatted(label, reading.position(), failure.getMessage()),
                failure);
    }

    @Override
    public RuntimeException outOfOrder(DataChangeRecord change, Instant latestChange) {
        return new FlinkRuntimeException(
                "[%s] the server returned %s after a change of %s; it is not emitted, because a later change of its key was: the job fails, and continues from its last checkpoint"
                        .formatted(label, change.identity(), latestChange));
    }

    /** Lets it emit what comes after the move-in. */
    void proceed() {
        lock.lock();
        try {
            movedIn = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

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
        reading.cancelIfStalled();
    }

    /** Stops reading; returns its thread, which ends soon. */
    List<Thread> close() {
        closed = true;
        reading.close();
        Thread running = thread;
        if (running == null) {
            return List.of();
        }
        running.interrupt();
        return List.of(running);
    }
}
