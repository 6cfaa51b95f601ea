package dev.spream.core.subscription.transaction;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.SectionLock;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionPosition;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.transaction.OpenTransaction.Part;
import dev.spream.core.subscription.transaction.OpenTransaction.State;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
    private static final Logger log = LoggerFactory.getLogger(TransactionAssembler.class);

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
        boolean deliver(OpenTransaction transaction, Control control) throws Exception;
    }

    /** About how much memory a change takes while it is in the buffer. */
    private static final long BUFFERED_BYTES = 512;

    /** About how much memory a key with its lane takes. */
    private static final long KEY_BYTES = 512;

    /** In place of an id in the buffer. */
    private static final long IN_MEMORY = 0;

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
    private final Map<String, OpenTransaction> open = new HashMap<>();
    private final TreeSet<OpenTransaction> incomplete = new TreeSet<>(OpenTransaction.COMMIT_ORDER);
    private final TreeSet<OpenTransaction> undelivered = new TreeSet<>(OpenTransaction.COMMIT_ORDER);
    private final TreeSet<OpenTransaction> ready = new TreeSet<>(OpenTransaction.COMMIT_ORDER);
    private final TransactionLanes lanes = new TransactionLanes();
    private final Map<OpenTransaction, Thread> delivering = new HashMap<>();
    private final List<Long> unneeded = new ArrayList<>(); // in the buffer
    private boolean ending;
    private long transactions;
    private long judged; // to be incomplete
    private long bytes;
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

    /** Takes a lineage that was just read. */
    public void observe(Lineage lineage) {
        lock.run(() -> {
            frontier.observe(lineage);
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
        long size = OpenTransaction.bytesOf(change);
        lock.lockInterruptibly();
        try {
            boolean full = bytes + size > settings.maxBytes();
            while (full && !source.isStopping() && bytes + size > resumeAt && !mustRead(source)) {
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
            if (bytes + size <= settings.maxBytes()) {
                add(source, change, position, keys, size, IN_MEMORY);
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
            add(source, change, position, keys, BUFFERED_BYTES + keys.size() * KEY_BYTES, id);
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
        OpenTransaction transaction = waiting(change);
        bytes += size;
        transaction
                .add(new Part(
                        source,
                        sequence,
                        change.recordSequence(),
                        size,
                        keys,
                        stored == IN_MEMORY ? change : null,
                        stored))
                .forEach(key -> lanes.enter(transaction, key));
        frontier.advance(source.partition().token(), change.commitTimestamp());
        if (transaction.isComplete()) {
            incomplete.remove(transaction);
            transaction.missesChanges(false);
            transaction.state = State.WAITING;
        }
        makeReady(transaction);
        proceed();
    }

    /**
     * Returns the transaction that the change is added to. One whose delivery has begun gets nothing more: what comes then
     * was settled before, or belongs to a partition that is read again, and is delivered by itself.
     */
    private OpenTransaction waiting(DataChangeRecord change) {
        OpenTransaction known = open.get(change.serverTransactionId());
        if (known == null || known.state == State.DELIVERING) {
            OpenTransaction first = new OpenTransaction(++transactions, change, buffer);
            incomplete.add(first);
            undelivered.add(first);
            open.put(first.id(), first);
            return first;
        }
        if (known.state == State.READY) {
            ready.remove(known);
            known.state = State.WAITING;
        }
        return known;
    }

    /** Returns whether nothing makes room but a change of that partition. */
    private boolean mustRead(TransactionSource source) {
        return ready.isEmpty()
                && delivering.isEmpty()
                && frontier.isLast(source.partition().token());
    }

    private void leave(OpenTransaction transaction, List<Object> keys) {
        keys.forEach(key -> lanes.leave(transaction, key).ifPresent(this::makeReady));
    }

    private void makeReady(OpenTransaction transaction) {
        if (transaction.state == State.WAITING && transaction.waitingFor == 0 && !settings.inCommitOrder()) {
            transaction.state = State.READY;
            ready.add(transaction);
        }
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

    public void started(Collection<PartitionToken> partitions, Instant start) {
        lock.run(() -> partitions.forEach(partition -> frontier.add(partition, start)));
    }

    /** Starts no further delivery, so that none overtakes one that is left while the partitions stop one after the other. */
    public void end() {
        lock.run(() -> ending = true);
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
        while (!ending && !ready.isEmpty() && delivering.size() < settings.maxDelivering()) {
            OpenTransaction next = ready.first();
            Thread thread = Thread.ofVirtual()
                    .name("spream-" + settings.stream() + "-consumer-" + next.id())
                    .unstarted(() -> deliverFrom(next));
            begin(next, thread);
            thread.start();
        }
        if (waiting > 0 && (bytes <= resumeAt || (ready.isEmpty() && delivering.isEmpty()))) {
            room.signalAll();
        }
    }

    /** Judges transactions that will not become complete, and finds the next one in commit order. */
    private void release() {
        Instant low = frontier.low().orElse(Instant.MIN);
        while (!incomplete.isEmpty() && incomplete.first().commitTimestamp().isBefore(low)) {
            OpenTransaction transaction = incomplete.pollFirst();
            if (transaction.state == State.INCOMPLETE) {
                judge(transaction);
            }
        }
        if (settings.inCommitOrder()) {
            while (ready.isEmpty()
                    && delivering.isEmpty()
                    && !undelivered.isEmpty()
                    && undelivered.first().state == State.WAITING
                    && undelivered.first().commitTimestamp().isBefore(low)) {
                OpenTransaction next = undelivered.first();
                next.state = State.READY;
                ready.add(next);
            }
        }
    }

    /** Lets a transaction be delivered as it is. */
    private void judge(OpenTransaction transaction) {
        judged++;
        if (Long.bitCount(judged) == 1) {
            log.info(
                    "[{}] transaction {} of {} has {} of {} changes, and is delivered as it is, as incomplete; it is number {} of them since the start, and the next one that is logged is number {}. After a restart the other changes were settled before, and this is harmless; otherwise they are in a gap that was accepted, which the log has",
                    settings.stream(),
                    transaction.id(),
                    transaction.commitTimestamp(),
                    transaction.size(),
                    transaction.first().numberOfRecordsInTransaction(),
                    judged,
                    2 * judged);
        }
        transaction.missesChanges(true);
        transaction.state = State.WAITING;
        makeReady(transaction);
    }

    private void begin(OpenTransaction transaction, Thread thread) {
        ready.remove(transaction);
        undelivered.remove(transaction);
        transaction.state = State.DELIVERING;
        transaction.sort();
        delivering.put(transaction, thread);
    }

    /** Delivers transactions on this thread, until there is none that can be delivered. */
    private void deliverFrom(OpenTransaction first) {
        OpenTransaction transaction = first;
        while (transaction != null) {
            transaction = deliver(transaction);
        }
    }

    private @Nullable OpenTransaction deliver(OpenTransaction transaction) {
        boolean settled = false;
        try {
            settled = delivery.deliver(transaction, new Control(transaction));
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
                putBack(transaction);
            }
            changed.signalAll();
            release();
            next = ready.isEmpty() || ending ? null : ready.first();
            if (next != null) {
                begin(next, Thread.currentThread());
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

    /** Lets a transaction wait again for the changes of partitions that are no longer read here. */
    private void putBack(OpenTransaction transaction) {
        transaction.state = State.WAITING;
        undelivered.add(transaction);
        transaction.sources().stream()
                .filter(TransactionSource::isStopping)
                .forEach(source -> removeParts(transaction, source));
        makeReady(transaction);
    }

    private void settleAll(OpenTransaction transaction) {
        for (Part part : transaction.parts()) {
            part.source().partition().tracker().settle(part.sequence());
        }
        remove(transaction);
    }

    private void remove(OpenTransaction transaction) {
        transaction.state = State.GONE;
        open.remove(transaction.id(), transaction);
        undelivered.remove(transaction);
        ready.remove(transaction);
        incomplete.remove(transaction);
        leave(transaction, List.copyOf(transaction.keys()));
        transaction.parts().forEach(this::forget);
    }

    private void forget(Part part) {
        bytes -= part.bytes();
        if (part.stored() != IN_MEMORY) {
            unneeded.add(part.stored());
        }
    }

    /** Removes from the buffer, without the lock, what was forgotten. */
    private void cleanBuffer() {
        List<Long> ids = lock.get(() -> {
            List<Long> copy = List.copyOf(unneeded);
            unneeded.clear();
            return copy;
        });
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
            List.copyOf(undelivered).forEach(transaction -> removeParts(transaction, source));
            frontier.leave(
                    source.partition().token(),
                    source.partition().persistedWatermark(),
                    source.partition().state() == HeldPartition.State.FINISHED);
            changed.signalAll();
            room.signalAll();
        });
        cleanBuffer();
    }

    private void removeParts(OpenTransaction transaction, TransactionSource source) {
        List<Part> removed = new ArrayList<>();
        List<Object> gone = transaction.remove(source, removed);
        if (removed.isEmpty()) {
            return;
        }
        removed.forEach(this::forget);
        leave(transaction, gone);
        ready.remove(transaction);
        if (transaction.size() == 0) {
            remove(transaction);
        } else {
            transaction.state = State.INCOMPLETE;
            incomplete.add(transaction);
        }
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

    public boolean awaitIdle(TransactionSource source, Duration graceAfterCancel) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long grace = TimeUnit.NANOSECONDS.convert(graceAfterCancel);
            while (isDelivering(source)) {
                if (!source.isCancelled()) {
                    changed.await();
                } else if (grace > 0) {
                    grace = time.awaitNanos(changed, grace);
                } else {
                    return false;
                }
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

    private boolean isCancelled(OpenTransaction transaction) {
        return transaction.sources().stream().anyMatch(TransactionSource::isCancelled);
    }

    public void close() {
        buffer.close();
    }

    /** The control over the delivery of one transaction. */
    public final class Control {
        private final List<TransactionSource> sources;
        private final Set<HeldPartition> partitions = new HashSet<>();

        private Control(OpenTransaction transaction) {
            this.sources = transaction.sources();
            sources.forEach(source -> partitions.add(source.partition()));
        }

        public boolean isStopping() {
            return sources.stream().anyMatch(TransactionSource::isStopping);
        }

        public boolean isCancelled() {
            return sources.stream().anyMatch(TransactionSource::isCancelled);
        }

        public boolean isHeld() {
            return partitions.stream().allMatch(HeldPartition::isHeld);
        }

        /** Waits before a retry; returns early when one of the partitions is no longer read. */
        public void pause(Duration delay) throws InterruptedException {
            long nanos = TimeUnit.NANOSECONDS.convert(delay);
            lock.lockInterruptibly();
            try {
                while (!isStopping() && nanos > 0) {
                    nanos = time.awaitNanos(changed, nanos);
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
