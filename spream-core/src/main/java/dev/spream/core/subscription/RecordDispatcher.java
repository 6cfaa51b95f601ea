package dev.spream.core.subscription;

import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.UndecodableRowException;
import dev.spream.core.internal.LocalLease;
import dev.spream.core.internal.SectionLock;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.subscription.inflight.Budget;
import dev.spream.core.subscription.inflight.InflightRecord;
import dev.spream.core.subscription.inflight.InflightTracker;
import dev.spream.core.subscription.inflight.PendingLanes;
import dev.spream.core.subscription.inflight.PerKeyQueue;
import dev.spream.core.subscription.lease.HeldPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Hands the records of one partition to the consumer, as many at a time as their lanes and the options allow, on
 * virtual threads that live while there is something to do. The reader fills it, and waits while the maximum number
 * of records is in flight or the budget is used up; so a slow consumer delays only the reading. Safe for use by many
 * threads.
 *
 * <p>Vocabulary: a <em>runner</em> is a thread that takes ready records and delivers them; it is <em>seeking</em>
 * between two deliveries, and <em>calling</em> in one, but for the waits before a retry. Without batches no ready record
 * waits for a call: a runner that takes one starts another runner for the next. With batches there is one while none is
 * calling, so that records that arrive during a call form one batch; and another one as soon as a full batch is ready.
 *
 * <p>Changes that the client has received together are handed over together, a few at a time: waking a thread for each
 * costs more than all else.
 *
 * <p>Stopping lets records finish that are being consumed and leaves the rest unsettled; cancelling interrupts them
 * as well. Records settled before remain settled.
 */
final class RecordDispatcher implements ChangeDispatcher, DeliveryControl {
    private static final int REFILL_SHARE = 4;
    private static final int MAX_HELD_BACK = 16;
    private static final Set<?> ONE_LANE = Set.of(Ordering.PARTITION);

    private final EngineContext context;
    private final HeldPartition partition;
    private final DeliveryStrategy path;
    private final boolean takesBatches;
    private final Budget.Share budget;
    private final SubscriberOptions options;
    private final int resumeAt; // a full window is refilled in portions: waking the reader for each record costs more
    private final String threadName;
    private final Consumer<Throwable> onFailure;

    private final PerKeyQueue lanes = new PerKeyQueue(this::startReady);
    private final SectionLock lock = new SectionLock();
    private final Condition changed = lock.newCondition(); // a record was settled, a runner ended, or it stops
    private final Condition stopped = lock.newCondition();

    // Guarded by lock; the last two are only written under it.
    private final Set<Thread> runners = new HashSet<>();
    private int seeking;
    private int calling;
    private volatile boolean stopping;
    private volatile boolean cancelled;

    private volatile long lastMoveOut; // of which storing was asked for, as last seen by any thread

    private int heldBack; // changes since runners were started for them; confined to the reader's thread

    RecordDispatcher(
            EngineContext context,
            HeldPartition partition,
            DeliveryStrategy path,
            Budget.Share budget,
            Consumer<Throwable> onFailure) {
        this.context = context;
        this.partition = partition;
        this.path = path;
        this.takesBatches = path.maxRecords() > 1;
        this.budget = budget;
        this.options = context.options();
        this.resumeAt = options.maxInflight() - Math.max(1, options.maxInflight() / REFILL_SHARE);
        this.threadName = context.threadName("consumer", partition.token());
        this.onFailure = onFailure;
    }

    /** Creates the dispatcher of a partition that was acquired. */
    static RecordDispatcher of(
            EngineContext context,
            PartitionLease lease,
            LocalLease held,
            DeliveryStrategy path,
            Budget.Share budget,
            Consumer<Throwable> onFailure) {
        InflightTracker tracker = new InflightTracker(
                context.label(lease.token()), context.options().maxInflight(), lease.watermark());
        return new RecordDispatcher(context, new HeldPartition(lease, tracker, held), path, budget, onFailure);
    }

    @Override
    public HeldPartition partition() {
        return partition;
    }

    @Override
    public boolean submit(DataChangeRecord change, Instant position) throws InterruptedException {
        Set<?> itsLanes = lanesOf(change);
        long bytes = InflightRecord.sizeOf(change);
        if (!awaitRoom() || !acquire(bytes)) {
            return false;
        }
        lock.lock();
        try {
            if (stopping) {
                budget.release(bytes);
                return false;
            }
            lanes.enter(new InflightRecord(partition.tracker().open(position), change, itsLanes, bytes));
            heldBack++;
            if (heldBack >= MAX_HELD_BACK) {
                startHeldBack();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean acquire(long bytes) throws InterruptedException {
        if (budget.tryAcquire(bytes)) {
            return true;
        }
        handOver(); // what it waits for may be held back
        return budget.acquire(bytes);
    }

    @Override
    public void handOver() {
        if (heldBack > 0) {
            lock.run(this::startHeldBack);
        }
    }

    private void startHeldBack() {
        heldBack = 0;
        startRunners();
    }

    @Override
    public void continueAfter(List<PendingLanes> others) {
        lanes.continueAfter(others);
    }

    @Override
    public PendingLanes pending() {
        return lanes.pending();
    }

    @Override
    public void movedOut(PartitionEventRecord event) {
        partition.moveOuts().add(event, partition.tracker().boundary(), lanes.pending());
    }

    @Override
    public void storeMoveOuts() {
        long due = partition.lastUnstoredMoveOut();
        if (due > lastMoveOut) {
            lastMoveOut = due;
            context.watermarksDue().signal(); // once for each; what fails is repeated at the interval
        }
    }

    private void startReady() {
        lock.run(this::startRunners);
    }

    @Override
    public void keepUndecodable(DataChangeRecord change, UndecodableRowException failure) throws InterruptedException {
        path.changes().keepUndecodable(partition, change, failure);
    }

    private Set<?> lanesOf(DataChangeRecord change) {
        return switch (options.effectiveOrdering()) {
            case PARTITION -> ONE_LANE;
            case KEY -> keysOf(change);
            case NONE -> Set.of();
        };
    }

    private Set<RecordKey> keysOf(DataChangeRecord change) {
        try {
            return RecordKey.of(change);
        } catch (IllegalArgumentException e) {
            throw unreadableKeys(context, partition, change, e);
        }
    }

    static SubscriptionException unreadableKeys(
            EngineContext context, HeldPartition partition, DataChangeRecord change, IllegalArgumentException cause) {
        return new SubscriptionException(
                "[%s] the primary keys of %s cannot be read, so its place among the other changes is not known; the watermark stays at %s, and the subscription stops"
                        .formatted(
                                context.label(partition.token()),
                                change.identity(),
                                partition.tracker().watermark()),
                cause);
    }

    private boolean awaitRoom() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (partition.tracker().inFlight() < options.maxInflight()) {
                return !stopping;
            }
            startHeldBack();
            while (!stopping && partition.tracker().inFlight() > resumeAt) {
                changed.await();
            }
            return !stopping;
        } finally {
            lock.unlock();
        }
    }

    /** Starts runners for ready records that have none. The caller holds the lock. */
    private void startRunners() {
        while (!stopping && needsRunner()) {
            seeking++;
            startRunner(() -> run(List.of()));
        }
    }

    /** One runner seeks at a time: when it has found a record, it starts the next one, before it delivers. */
    private boolean needsRunner() {
        return seeking == 0 && mayCall();
    }

    private boolean mayCall() {
        int ready = lanes.ready();
        return ready > 0 && (!takesBatches || calling == 0 || ready >= path.maxRecords());
    }

    private void startRunner(Runnable work) {
        Thread runner = Thread.ofVirtual().name(threadName).unstarted(work);
        runners.add(runner);
        runner.start();
    }

    /** Delivers those records, then further ready ones while there are any. */
    private void run(List<InflightRecord> first) {
        try {
            List<InflightRecord> records = first.isEmpty() ? next(false) : first;
            while (!records.isEmpty()) {
                deliver(records);
                records = next(true);
            }
        } catch (Throwable t) {
            stop();
            if (!(t instanceof InterruptedException
                    && (isCancelled() || context.userCalls().isCancelled()))) {
                onFailure.accept(t);
            }
        } finally {
            ended();
        }
    }

    /**
     * Returns the next records to deliver together; none when there is nothing to do, and then the runner has to end.
     *
     * @param called whether the runner has delivered others before
     */
    private List<InflightRecord> next(boolean called) {
        lock.lock();
        try {
            if (called) {
                calling--;
            } else {
                seeking--;
            }
            if (stopping || !mayCall()) {
                return List.of();
            }
            List<InflightRecord> records = lanes.take(path.maxRecords());
            calling++;
            startRunners();
            return records;
        } finally {
            lock.unlock();
        }
    }

    private void deliver(List<InflightRecord> records) throws InterruptedException {
        path.deliver(partition, records, this);
        clearInterrupt();
        boolean settled = records.size() == 1 && records.getFirst().isSettled();
        if (!settled && !partition.isHeld()) {
            stop();
            partition.revoke(); // stops the reader too, which may be waiting for its stream
        }
    }

    @Override
    public void settle(InflightRecord record) {
        List<PerKeyQueue.Follower> others = leave(record);
        storeMoveOuts();
        others.forEach(PerKeyQueue.Follower::release);
    }

    private List<PerKeyQueue.Follower> leave(InflightRecord record) {
        lock.lock();
        try {
            List<PerKeyQueue.Follower> others = lanes.leave(record);
            partition.tracker().settle(record.sequence());
            budget.release(record.bytes());
            if (takesBatches) { // a delivery of one record ends here: its runner takes the next ready record
                startRunners();
            }
            if (partition.tracker().inFlight() <= resumeAt) {
                changed.signalAll();
            }
            return others;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void putBack(InflightRecord record, boolean alone) {
        lock.run(() -> {
            lanes.putBack(record, alone);
            startRunners();
        });
    }

    @Override
    public void judge(InflightRecord record) {
        lock.run(() -> {
            calling++;
            startRunner(() -> run(List.of(record)));
        });
    }

    private void ended() {
        lock.run(() -> {
            runners.remove(Thread.currentThread());
            changed.signalAll();
        });
    }

    /** Clears an interrupt left by user code, which would hit the next record. */
    private void clearInterrupt() {
        if (!isCancelled()) {
            Thread.interrupted();
        }
    }

    @Override
    public boolean awaitSettled() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            startHeldBack();
            while (!stopping && partition.tracker().inFlight() > 0) {
                changed.await();
            }
            return partition.tracker().inFlight() == 0;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean awaitIdle(Supplier<Duration> graceAfterCancel) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!runners.isEmpty() && !cancelled) {
                changed.await();
            }
            long grace = TimeUnit.NANOSECONDS.convert(graceAfterCancel.get());
            while (!runners.isEmpty()) {
                if (grace <= 0) {
                    return false;
                }
                grace = context.time().awaitNanos(changed, grace);
            }
            budget.close();
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isIdle() {
        return lock.get(() -> runners.isEmpty());
    }

    @Override
    public void stop() {
        budget.stop();
        lock.run(() -> {
            stopping = true;
            changed.signalAll();
            stopped.signalAll();
        });
    }

    @Override
    public void cancel() {
        budget.stop();
        lock.run(() -> {
            stopping = true;
            cancelled = true;
            runners.forEach(Thread::interrupt);
            changed.signalAll();
            stopped.signalAll();
        });
    }

    @Override
    public boolean isCalledBy(Thread thread) {
        return lock.get(() -> runners.contains(thread));
    }

    @Override
    public boolean isStopping() {
        return stopping;
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }

    @Override
    public void pause(Duration delay) throws InterruptedException {
        long nanos = TimeUnit.NANOSECONDS.convert(delay);
        lock.lockInterruptibly();
        try {
            calling--;
            startRunners();
            while (!stopping && nanos > 0) {
                nanos = context.time().awaitNanos(stopped, nanos);
            }
        } finally {
            calling++;
            lock.unlock();
        }
    }
}
