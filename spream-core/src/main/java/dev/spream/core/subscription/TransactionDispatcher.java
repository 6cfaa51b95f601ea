package dev.spream.core.subscription;

import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.UndecodableRowException;
import dev.spream.core.internal.LocalLease;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.subscription.inflight.InflightTracker;
import dev.spream.core.subscription.inflight.PendingLanes;
import dev.spream.core.subscription.inflight.PerKeyQueue;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.transaction.TransactionAssembler;
import dev.spream.core.subscription.transaction.TransactionSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/** The share of one partition in the {@link TransactionAssembler}. Safe for use by many threads. */
final class TransactionDispatcher implements ChangeDispatcher, TransactionSource {
    /** The order across partitions is that in which the assembler gets their changes. */
    private static final PendingLanes NONE = new PerKeyQueue(() -> {}).pending();

    private final EngineContext context;
    private final TransactionAssembler assembler;
    private final HeldPartition partition;
    private volatile boolean stopping;
    private volatile boolean cancelled;
    private volatile long lastMoveOut; // of which storing was asked for, as last seen by any thread

    TransactionDispatcher(EngineContext context, TransactionAssembler assembler, HeldPartition partition) {
        this.context = context;
        this.assembler = assembler;
        this.partition = partition;
        assembler.begin(this);
    }

    /** Creates the dispatcher of a partition that was acquired. The assembler limits what is in flight. */
    static TransactionDispatcher of(
            EngineContext context, PartitionLease lease, LocalLease held, TransactionAssembler assembler) {
        InflightTracker tracker = InflightTracker.unlimited(context.label(lease.token()), lease.watermark());
        return new TransactionDispatcher(context, assembler, new HeldPartition(lease, tracker, held));
    }

    @Override
    public HeldPartition partition() {
        return partition;
    }

    @Override
    public boolean submit(DataChangeRecord change, Instant position) throws InterruptedException {
        Set<RecordKey> keys;
        try {
            keys = assembler.hasLanes() ? RecordKey.of(change) : Set.of();
        } catch (IllegalArgumentException e) {
            throw RecordDispatcher.unreadableKeys(context, partition, change, e);
        }
        return assembler.submit(this, change, position, keys);
    }

    /** Does not return: a transaction without one of its changes is not whole, so the options do not allow it. */
    @Override
    public void keepUndecodable(DataChangeRecord change, UndecodableRowException failure) {
        throw new SubscriptionException(
                "[%s] %s cannot be decoded, and its transaction is not whole without it; the subscription stops"
                        .formatted(context.label(partition.token()), change.identity()),
                failure);
    }

    @Override
    public void movedOut(PartitionEventRecord event) {
        partition.moveOuts().add(event, partition.tracker().boundary(), NONE);
    }

    @Override
    public boolean settlesAlone() {
        return false;
    }

    @Override
    public void readUpTo(Instant timestamp) {
        assembler.readUpTo(this, timestamp);
    }

    @Override
    public void lost(Supplier<PartitionGap> loss) {
        if (partition.tracker().inFlight() > 0) {
            PartitionGap gap = loss.get();
            accepted(gap);
            readUpTo(gap.to()); // a transaction may wait for what is lost
        }
    }

    @Override
    public void accepted(PartitionGap gap) {
        assembler.accept(gap);
    }

    @Override
    public void started(Collection<PartitionToken> partitions, Instant start) {
        assembler.started(partitions, start);
    }

    @Override
    public void readToEnd() {
        assembler.readToEnd(this);
    }

    @Override
    public void storeMoveOuts() {
        long due = partition.lastUnstoredMoveOut();
        if (due > lastMoveOut) {
            lastMoveOut = due;
            context.watermarksDue().signal(); // once for each; what fails is repeated at the interval
        }
    }

    /** Ignored: see {@link #NONE}. */
    @Override
    public void continueAfter(List<PendingLanes> others) {}

    @Override
    public PendingLanes pending() {
        return NONE;
    }

    @Override
    public boolean awaitSettled() throws InterruptedException {
        return assembler.awaitSettled(this);
    }

    @Override
    public boolean awaitIdle(Supplier<Duration> graceAfterCancel) throws InterruptedException {
        return assembler.awaitIdle(this, graceAfterCancel);
    }

    @Override
    public boolean isIdle() {
        return assembler.isIdle(this);
    }

    @Override
    public void settled() {
        storeMoveOuts();
    }

    /** Stops the partition and its reader, which may be waiting for its stream, if the lease is lost. */
    @Override
    public void checkHeld() {
        if (!partition.isHeld()) {
            stop();
            partition.revoke();
        }
    }

    @Override
    public void stop() {
        if (!stopping) {
            stopping = true;
            assembler.stop(this);
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
        stop();
        assembler.interrupt(this);
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
    public boolean isCalledBy(Thread thread) {
        return assembler.runs(thread);
    }
}
