package dev.spream.projection.changestream;

import dev.spream.core.internal.SectionLock;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A buffer that restores the order in which a partition returned its changes, although the consumer is called
 * concurrently and in any order. Safe for use by many threads.
 *
 * <p>Each change is recorded before the subscriber receives it. Later it arrives at the consumer, or it is dropped as a
 * duplicate, which is reported, or the subscriber leaves the partition; then no later change arrives either until the
 * partition is claimed again.
 */
final class ReadOrderBuffer implements SubscriptionListener {
    private final SectionLock lock = new SectionLock();
    private final Map<PartitionToken, Deque<Change>> partitions = new HashMap<>(); // guarded by lock

    /** A change that was returned; its fields are guarded by the lock. */
    private static final class Change {
        private final DataChangeRecord record;
        private @Nullable Runnable handOver; // once it has arrived

        Change(DataChangeRecord record) {
            this.record = record;
        }

        @SuppressWarnings("ReferenceEquality") // what is returned again, equal as it is, is another one
        boolean isOf(DataChangeRecord other) {
            return record == other;
        }
    }

    /** Records that the partition returned a change. */
    void returned(PartitionToken partition, DataChangeRecord record) {
        lock.run(() -> partitions
                .computeIfAbsent(partition, token -> new ArrayDeque<>())
                .addLast(new Change(record)));
    }

    /**
     * Records that the consumer was called with a change; runs {@code handOver}, which must be short, when all earlier
     * changes have arrived.
     */
    void arrived(PartitionToken partition, DataChangeRecord record, Runnable handOver) {
        lock.run(() -> {
            Deque<Change> changes = partitions.getOrDefault(partition, new ArrayDeque<>());
            for (Change change : changes) {
                if (change.isOf(record)) {
                    change.handOver = handOver;
                    break;
                }
            }
            handOver(changes);
        });
    }

    private static void handOver(Deque<Change> changes) {
        for (Change first = changes.peekFirst(); first != null; first = changes.peekFirst()) {
            Runnable handOver = first.handOver;
            if (handOver == null) {
                return;
            }
            changes.removeFirst();
            handOver.run();
        }
    }

    /** Removes a change for which the consumer no longer waits; it is not handed over, unless it was before. */
    void left(PartitionToken partition, DataChangeRecord record) {
        remove(partition, record, Deque::iterator);
    }

    /** Removes the dropped change: the newest, because this is called before the partition returns another record. */
    @Override
    public void duplicateDropped(PartitionToken partition, DataChangeRecord record) {
        remove(partition, record, Deque::descendingIterator);
    }

    private void remove(
            PartitionToken partition, DataChangeRecord record, Function<Deque<Change>, Iterator<Change>> direction) {
        lock.run(() -> {
            Deque<Change> changes = partitions.getOrDefault(partition, new ArrayDeque<>());
            Iterator<Change> all = direction.apply(changes);
            while (all.hasNext()) {
                if (all.next().isOf(record)) {
                    all.remove();
                    break;
                }
            }
            handOver(changes);
        });
    }

    @Override
    public void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {
        lock.run(() -> partitions.remove(partition));
    }
}
