package dev.spream.core.subscription.transaction;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.SectionLock;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionPosition;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.transaction.OpenTransaction.Part;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Collects the changes of all partitions by transaction, and has whole transactions delivered, on virtual threads. One for
 * each run. Safe for use by many threads.
 *
 * <p>A transaction is complete when as many changes of it were read as each of them says that there are. It may be
 * delivered when it is the first in the lanes of all its keys, or in commit order, when it is the first of all and every
 * partition has been read past its commit timestamp. Its changes are settled together, so no watermark passes one of
 * them before. The changes of one key come from one partition at a time in commit order, and transactions with a common
 * key have different commit timestamps: so each lane has its transactions in commit order, and none waits for a later one.
 *
 * <p>A transaction of which changes are missing although every partition was read past it is delivered as it is, and says
 * so. The others were settled before a crash or a lost lease, since a watermark has passed them, or a gap that was accepted
 * has them. Nothing that came again is dropped: a change of the same key may have come again before it.
 *
 * <p>Memory: once the changes that are kept take the budget, a partition is read further only if nothing can be delivered
 * or is in delivery, retries included, and no other partition is behind it; and what it then reads goes to the buffer. So
 * no partition waits for ever: a delivery that ends makes room; and the partition that is behind all others waits for
 * nothing else, until what is missing of the earliest transaction has been read.
 */
public final class TransactionAssembler {
    /**
     * The settings of an assembler.
     *
     * @param stream the name of the stream, for messages and threads
     * @param inCommitOrder whether transactions are delivered one at a time, in commit order
     * @param hasLanes whether transactions with a common key are delivered in commit order otherwise
     * @param maxDelivering the maximum number of transactions in delivery
     * @param maxBytes the size of the changes that are kept in memory
     */
    public record Settings(String stream, boolean inCommitOrder, boolean hasLanes, int maxDelivering, long maxBytes) {}

    /** Delivers a transaction. */
    public interface Delivery {
        /** Returns whether the transaction is settled; it waits for its partitions otherwise. */
        boolean deliver(OpenTransaction transaction, TransactionControl control) throws Exception;
    }

    private final Settings settings;
    private final Delivery delivery;
    private final ChangeBuffer buffer;
    private final MonotonicTime time;
    private final Consumer<Throwable> onFailure;
    private final SectionLock lock = new SectionLock();
    private final Condition changed = lock.newCondition();
    private final Condition room = lock.newCondition();
    private final long resumeAt; // bytes, once there was no room: readers do not wake for each delivery

    // Guarded by lock.
    private final ReadFrontier frontier = new ReadFrontier();
    private final IncompleteJudge judge;
    private final TransactionIndex index;
    private final Map<OpenTransaction, Thread> delivering = new HashMap<>();
    private boolean ending;
    private boolean paused;
    private int waiting; // readers

    /** @param onFailure called with a failure that has to stop the subscription */
    public TransactionAssembler(
            Settings settings,
            Delivery delivery,
            ChangeBuffer buffer,
            MonotonicTime time,
            Consumer<Throwable> onFailure) {
        this.settings = settings;
        this.delivery = delivery;
        this.buffer = buffer;
        this.time = time;
        this.onFailure = onFailure;
        this.judge = new IncompleteJudge(settings.stream());
        this.index = new TransactionIndex(settings.inCommitOrder(), buffer);
        this.resumeAt = settings.maxBytes() / 4 * 3;
    }

    /** Returns whether transactions with a common key are delivered in commit order, by the keys of their changes. */
    public boolean hasLanes() {
        return settings.hasLanes();
    }

    /** Returns the partition that has been read least far, as known here; empty if every partition is read to its end. */
    public Optional<PartitionPosition> lagging() {
        return lock.get(frontier::lagging);
    }

    /** Begins with a partition that was acquired. */
    public void begin(TransactionSource source) {
        HeldPartition partition = source.partition();
        lock.run(() -> {
            frontier.begin(partition.token(), partition.watermark());
            proceed();
        });
    }

    /** Takes what is stored of all partitions before some are read that other processes may have read. */
    public void beginWith(Lineage lineage, List<FinishedPartition> removed) {
        lock.run(() -> judge.begin(lineage, removed));
    }

    /** Takes a lineage that was just read. */
    public void observe(Lineage lineage) {
        lock.run(() -> {
            frontier.observe(lineage);
            judge.observe(lineage);
            proceed();
        });
    }

    /**
     * Takes a change, waiting for room.
     *
     * @param keys the lanes of the change; none if there are no lanes
     * @return false if the dispatcher is stopping
     */
    public boolean submit(TransactionSource source, DataChangeRecord change, Instant position, Set<?> keys)
            throws InterruptedException {
        long size = OpenTransaction.bytesOf(change, keys.size());
        lock.lockInterruptibly();
        try {
            boolean full = index.bytes() + size > settings.maxBytes();
            while (full && !source.isStopping() && index.bytes() + size > resumeAt && !mustRead(source)) {
                waiting++;
                try {
                    room.await();
                } finally {
                    waiting--;
                }
            }
            if (source.isStopping()) {
                return false;
            }
            if (index.bytes() + size <= settings.maxBytes()) {
                add(source, change, position, keys, size, TransactionIndex.IN_MEMORY);
                return true;
            }
        } finally {
            lock.unlock();
        }
        return submitBuffered(source, change, position, keys);
    }

    private boolean submitBuffered(TransactionSource source, DataChangeRecord change, Instant position, Set<?> keys) {
        long id = buffer.add(change);
        boolean taken = lock.get(() -> {
            if (source.isStopping()) {
                return false;
            }
            add(source, change, position, keys, OpenTransaction.bytesOfBuffered(keys.size()), id);
            return true;
        });
        if (!taken) {
            buffer.remove(List.of(id));
        }
        return taken;
    }

    private void add(
            TransactionSource source, DataChangeRecord change, Instant position, Set<?> keys, long size, long stored) {
        long sequence = source.partition().tracker().open(position);
        index.add(
                change,
                new Part(
                        source,
                        sequence,
                        change.recordSequence(),
                        size,
                        keys,
                        stored == TransactionIndex.IN_MEMORY ? change : null,
                        stored));
        frontier.advance(source.partition().token(), change.commitTimestamp());
        proceed();
    }

    /** Returns whether nothing makes room but a change of that partition. */
    private boolean mustRead(TransactionSource source) {
        return !index.hasReady()
                && delivering.isEmpty()
                && frontier.isLast(source.partition().token());
    }

    /**
     * Notes that a partition was read up to that time; ignored once it is stopping, since what was taken from it is left
     * and read again.
     */
    public void readUpTo(TransactionSource source, Instant timestamp) {
        lock.run(() -> {
            if (!source.isStopping()) {
                frontier.advance(source.partition().token(), timestamp);
                proceed();
            }
        });
    }

    /** Notes that changes of some partition will not be read, and that this is accepted. */
    public void accept(PartitionGap gap) {
        lock.run(() -> judge.accept(gap));
    }

    public void started(Collection<PartitionToken> partitions, Instant start) {
        lock.run(() -> partitions.forEach(partition -> frontier.add(partition, start)));
    }

    /** Starts no further delivery, so that none overtakes one that is left while the partitions stop one after the other. */
    public void end() {
        lock.run(() -> ending = true);
    }

    /** Runs that, and starts no delivery meanwhile, for the reason of {@link #end}. */
    public void pauseWhile(Runnable stops) {
        lock.run(() -> paused = true);
        try {
            stops.run();
        } finally {
            lock.run(() -> {
                paused = false;
                proceed();
            });
        }
    }

    /** Notes that a partition was read to its end; ignored once it is stopping. */
    public void readToEnd(TransactionSource source) {
        lock.run(() -> {
            if (!source.isStopping()) {
                frontier.end(source.partition().token());
                proceed();
            }
        });
    }

    /** Releases what can be delivered, and starts deliveries. The caller holds the lock. */
    private void proceed() {
        release();
        while (mayBegin() && delivering.size() < settings.maxDelivering()) {
            OpenTransaction next = index.beginFirstReady();
            Thread thread = Thread.ofVirtual()
                    .name("spream-" + settings.stream() + "-consumer-" + next.id())
                    .unstarted(() -> deliverFrom(next));
            delivering.put(next, thread);
            thread.start();
        }
        if (waiting > 0 && (index.bytes() <= resumeAt || (!index.hasReady() && delivering.isEmpty()))) {
            room.signalAll();
        }
    }

    private boolean mayBegin() {
        return !ending && !paused && index.hasReady();
    }

    /** Judges transactions that will not become complete, and finds the next one in commit order. */
    private void release() {
        Instant low = frontier.low().orElse(Instant.MIN);
        for (Optional<OpenTransaction> incomplete = index.pollIncompleteBefore(low);
                incomplete.isPresent();
                incomplete = index.pollIncompleteBefore(low)) {
            index.deliverWithout(judge.judge(incomplete.get()), incomplete.get());
        }
        if (settings.inCommitOrder() && delivering.isEmpty()) {
            index.makeFirstReady(low);
        }
    }

    /** Delivers transactions on this thread, until there is none that can be delivered. */
    private void deliverFrom(OpenTransaction first) {
        try {
            OpenTransaction transaction = first;
            while (transaction != null) {
                transaction = deliver(transaction);
            }
        } catch (Throwable t) {
            onFailure.accept(t); // no delivery follows on this thread, and its transaction may keep its lanes
        }
    }

    private @Nullable OpenTransaction deliver(OpenTransaction transaction) {
        boolean settled = false;
        try {
            settled = delivery.deliver(transaction, new TransactionControl(transaction.sources(), this::pause));
        } catch (InterruptedException e) {
            if (!isCancelled(transaction)) {
                onFailure.accept(e);
            }
        } catch (Throwable t) {
            onFailure.accept(t);
        }
        return ended(transaction, settled);
    }

    /** Returns the transaction that this thread delivers next; null if there is none. */
    private @Nullable OpenTransaction ended(OpenTransaction transaction, boolean settled) {
        List<TransactionSource> sources = transaction.sources();
        OpenTransaction next;
        lock.lock();
        try {
            delivering.remove(transaction);
            Thread.interrupted(); // it was meant for that delivery
            if (settled) {
                settleAll(transaction);
            } else {
                index.putBack(transaction);
            }
            changed.signalAll();
            release();
            next = mayBegin() ? index.beginFirstReady() : null;
            if (next != null) {
                delivering.put(next, Thread.currentThread());
            }
            proceed();
        } finally {
            lock.unlock();
        }
        cleanBuffer();
        try {
            sources.forEach(settled ? TransactionSource::settled : TransactionSource::checkHeld);
        } catch (Throwable t) {
            onFailure.accept(t); // the next one is delivered all the same
        }
        return next;
    }

    private void settleAll(OpenTransaction transaction) {
        for (Part part : transaction.parts()) {
            part.source().partition().tracker().settle(part.sequence());
        }
        judge.settled(transaction);
        index.remove(transaction);
    }

    /** Removes from the buffer, without the lock, what was forgotten. */
    private void cleanBuffer() {
        List<Long> ids = lock.get(index::takeUnneeded);
        if (!ids.isEmpty()) {
            try {
                buffer.remove(ids);
            } catch (RuntimeException e) {
                onFailure.accept(e);
            }
        }
    }

    /** Removes what was taken from a partition that is no longer read here, except from deliveries under way. */
    public void stop(TransactionSource source) {
        lock.run(() -> {
            index.removeAllOf(source);
            judge.stopped(source);
            frontier.leave(
                    source.partition().token(),
                    source.partition().persistedWatermark(),
                    source.partition().state() == HeldPartition.State.FINISHED);
            changed.signalAll();
            room.signalAll();
        });
        cleanBuffer();
    }

    /** Interrupts the deliveries of a partition's transactions. */
    public void interrupt(TransactionSource source) {
        lock.run(() -> delivering.forEach((transaction, thread) -> {
            if (transaction.has(source)) {
                thread.interrupt();
            }
        }));
    }

    public boolean awaitSettled(TransactionSource source) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!source.isStopping() && source.partition().tracker().inFlight() > 0) {
                changed.await();
            }
            return source.partition().tracker().inFlight() == 0;
        } finally {
            lock.unlock();
        }
    }

    public boolean awaitIdle(TransactionSource source, Supplier<Duration> graceAfterCancel)
            throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (isDelivering(source) && !source.isCancelled()) {
                changed.await();
            }
            long grace = TimeUnit.NANOSECONDS.convert(graceAfterCancel.get());
            while (isDelivering(source)) {
                if (grace <= 0) {
                    return false;
                }
                grace = time.awaitNanos(changed, grace);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    public boolean isIdle(TransactionSource source) {
        return lock.get(() -> !isDelivering(source));
    }

    private boolean isDelivering(TransactionSource source) {
        return delivering.keySet().stream().anyMatch(transaction -> transaction.has(source));
    }

    public boolean runs(Thread thread) {
        return lock.get(() -> delivering.containsValue(thread));
    }

    private void pause(TransactionControl control, Duration delay) throws InterruptedException {
        long nanos = TimeUnit.NANOSECONDS.convert(delay);
        lock.lockInterruptibly();
        try {
            while (!control.isStopping() && nanos > 0) {
                nanos = time.awaitNanos(changed, nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isCancelled(OpenTransaction transaction) {
        return transaction.sources().stream().anyMatch(TransactionSource::isCancelled);
    }

    public void close() {
        buffer.close();
    }
}
