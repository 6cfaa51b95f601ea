package dev.spream.core.subscription;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.Consumer;
import dev.spream.core.partition.BusyPartitionsException;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.subscription.lease.HeldPartition;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Stores the watermarks of all partitions that moved, in one call. The order is always the same: take the watermarks,
 * flush the consumer, store them. So a stored watermark never passes an unflushed change.
 *
 * <p>Safe for use by many threads. One thread at a time flushes; none waits for the writes of another, since the row
 * of one partition may be locked.
 */
final class WatermarkWriter {
    static final String STORING = "storing watermarks";

    private final EngineContext context;
    private final Consumer consumer;
    private final ReentrantLock flushing = new ReentrantLock();
    private volatile boolean closed;

    WatermarkWriter(EngineContext context, Consumer consumer) {
        this.context = context;
        this.consumer = consumer;
    }

    /** Stores the watermarks that moved since they were last stored. */
    void persist(Collection<HeldPartition> partitions, BooleanSupplier wanted) throws InterruptedException {
        persist(partitions, call -> context.storageCalls().repeat(STORING, wanted, call));
        context.storageCalls()
                .abandoned(STORING); // a call that succeeded is not listed; partitions that failed may be gone
    }

    void persist(HeldPartition partition, BooleanSupplier wanted) throws InterruptedException {
        persist(List.of(partition), call -> context.storageCalls().repeat(STORING, partition.token(), wanted, call));
    }

    private void persist(Collection<HeldPartition> partitions, Calling calling) throws InterruptedException {
        Map<HeldPartition, WatermarkAdvance> moved = flushed(() -> unstored(partitions));
        if (moved.isEmpty()) {
            return;
        }
        List<WatermarkAdvance> advances = List.copyOf(moved.values());
        try {
            settle(moved, calling.call(storage -> storage.advanceWatermarks(advances)));
        } catch (BusyPartitionsException e) {
            moved.keySet().removeIf(partition -> e.busy().contains(partition.token()));
            settle(moved, e.lost());
            throw e;
        }
    }

    /**
     * Finishes a partition of which everything is settled.
     *
     * @return false if its lease was lost
     */
    boolean finish(HeldPartition partition, PartitionEnd proof, BooleanSupplier wanted) throws InterruptedException {
        Instant watermark = requireNonNull(flushed(
                                () -> Map.of(partition, new WatermarkAdvance(partition.lease(), partition.watermark())))
                        .get(partition))
                .watermark();
        partition.leaving();
        boolean finished = context.storageCalls()
                .repeat(
                        "finishing a partition",
                        partition.token(),
                        wanted,
                        storage -> storage.finish(partition.lease(), watermark, proof));
        if (finished) {
            partition.finished();
        }
        return finished;
    }

    boolean isFlushing() {
        return flushing.isLocked();
    }

    /** Prevents further flushes, and storing after a running flush. */
    void close() {
        closed = true;
    }

    /** Returns the watermarks that were taken before the consumer was flushed; does not flush if there are none. */
    private Map<HeldPartition, WatermarkAdvance> flushed(Supplier<Map<HeldPartition, WatermarkAdvance>> taken)
            throws InterruptedException {
        flushing.lockInterruptibly();
        try {
            Map<HeldPartition, WatermarkAdvance> watermarks = taken.get();
            if (!watermarks.isEmpty()) {
                requireOpen();
                flush();
                requireOpen();
            }
            return watermarks;
        } finally {
            flushing.unlock();
        }
    }

    private interface Calling {
        Set<PartitionToken> call(Function<PartitionStorage, Set<PartitionToken>> call) throws InterruptedException;
    }

    private void requireOpen() {
        if (closed) {
            throw new SubscriptionException(
                    "[%s] the run ended before the consumer was flushed; watermarks stay where they are"
                            .formatted(context.source().streamName()));
        }
    }

    private static Map<HeldPartition, WatermarkAdvance> unstored(Collection<HeldPartition> partitions) {
        Map<HeldPartition, WatermarkAdvance> unstored = new LinkedHashMap<>();
        for (HeldPartition partition : partitions) {
            partition.unstored().ifPresent(advance -> unstored.put(partition, advance));
        }
        return unstored;
    }

    private void settle(Map<HeldPartition, WatermarkAdvance> moved, Set<PartitionToken> lost) {
        Map<PartitionToken, Instant> persisted = new LinkedHashMap<>();
        boolean movedOut = moved.keySet().stream()
                .anyMatch(partition -> !partition.moveOuts().isEmpty());
        moved.forEach((partition, advance) -> {
            if (!lost.contains(partition.token())) {
                partition.persisted(advance.watermark(), advance.moveOuts());
                persisted.put(partition.token(), advance.watermark());
            } else {
                partition.unknownToStorage();
            }
        });
        if (movedOut) {
            context.partitionsChanged().signal(); // their destinations may continue
        }
        context.listener().publish(listener -> listener.watermarksPersisted(persisted));
    }

    private void flush() throws InterruptedException {
        try {
            context.userCalls().call("the consumer's flush", () -> {
                consumer.flush();
                return true;
            });
        } catch (Throwable t) {
            if (t instanceof InterruptedException interrupted
                    && !context.userCalls().isCancelled()) {
                throw interrupted;
            }
            if (context.userCalls().isCancelled()) {
                close(); // a thread that waits to flush would hang as well
            }
            throw new ConsumerException(
                    "[%s] the consumer's flush failed; watermarks stay where they are, and changes after them are delivered again after a restart"
                            .formatted(context.source().streamName()),
                    t);
        }
    }
}
