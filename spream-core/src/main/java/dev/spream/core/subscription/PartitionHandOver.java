package dev.spream.core.subscription;

import dev.spream.core.StorageException;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.lease.FairShare;
import dev.spream.core.subscription.lease.HeldPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Releases partitions before their end, so that other partitions are read. Safe for use by many threads.
 *
 * <p>A hand-over has four steps: the reader stops reading ({@link PartitionReader#handOver}); the changes in flight
 * settle; the watermark is stored; the lease is released ({@link #complete}). The next owner reads from the
 * watermark, inclusive, so changes at exactly that timestamp are delivered again. Changes not settled within the
 * drain timeout are left, except started ones: those are waited for, however long they take, so that nothing is
 * consumed after the release.
 *
 * <p>Fair share: a worker that reads more than its share hands partitions over to workers that read fewer ({@link
 * FairShare}).
 *
 * <p>Rotation: while partitions wait because the limit of open partitions is reached, those that have been read
 * longest are handed over, a few at a time, as long as their watermarks are later than that of a waiting one. Idle
 * partitions do not end by themselves; without rotation, the changes of waiting partitions would expire. The
 * partition with the oldest watermark is never handed over, so the low watermark advances.
 */
record PartitionHandOver(EngineContext context, WatermarkWriter watermarks) {
    static final Duration ROTATION_INTERVAL = Duration.ofSeconds(10);

    private static final int TURNS = 10;
    private static final Logger log = LoggerFactory.getLogger(PartitionHandOver.class);
    private static final Comparator<PartitionReader> LONGEST_FIRST = ((Comparator<PartitionReader>)
                    (a, b) -> Long.signum(a.openedAt() - b.openedAt()))
            .thenComparing(reader -> reader.partition().token());

    private static final Comparator<PartitionReader> AHEAD_FIRST = Comparator.comparing(
                    (PartitionReader reader) -> reader.partition().watermark())
            .reversed()
            .thenComparing(reader -> reader.partition().token());

    /**
     * Starts to hand over as many partitions as are waiting, but at most a tenth of those that are read, and at least
     * one.
     *
     * @param waiting the partitions that wait, the oldest watermark first
     */
    void rotate(Collection<PartitionReader> readers, List<PartitionMetadata> waiting) {
        List<PartitionReader> leaving =
                readers.stream().filter(PartitionReader::isHandingOver).toList();
        leaving.stream().filter(this::isOverdue).forEach(PartitionReader::stop);
        int turns = Math.max(1, readers.size() / TURNS);
        // the first waiting partitions get the places of those that are being handed over already
        waiting.stream()
                .skip(leaving.size())
                .limit(turns)
                .forEach(next ->
                        longestAheadOf(next.watermark(), readers).ifPresent(reader -> handOver(reader, waiting)));
    }

    /** Starts to hand over that many partitions to workers that read fewer, those with the latest watermarks first. */
    void give(Collection<PartitionReader> readers, int count) {
        free(readers).sorted(AHEAD_FIRST).limit(count).forEach(reader -> {
            log.info(
                    "[{}] handed over at {}: another worker reads fewer partitions",
                    context.label(reader.partition().token()),
                    reader.partition().watermark());
            reader.handOver();
        });
    }

    /**
     * Leaves everything to another worker that must have all partitions. What is in flight may wait for changes of
     * partitions that the other worker reads, so nothing waits for it to settle, except for calls under way.
     */
    void giveAll(Collection<PartitionReader> readers) {
        long staying =
                readers.stream().filter(reader -> !reader.isHandingOver()).count();
        if (staying > 0) {
            log.info(
                    "[{}] {} partitions handed over: whole transactions need all partitions in one worker, and another one reads some",
                    context.source().streamName(),
                    staying);
        }
        readers.forEach(PartitionReader::handOver);
        readers.forEach(PartitionReader::stop);
    }

    /**
     * Hands over readers that wait for partitions whose readers may need their place; the stored wait keeps them from
     * being claimed before it is over.
     */
    void handOverBlocked(Collection<PartitionReader> readers) {
        readers.stream()
                .filter(reader -> !reader.isHandingOver() && !reader.isReadToEnd() && reader.isBlocked())
                .forEach(PartitionReader::handOver);
    }

    /** Returns the readers that may be handed over: none that is read ahead, and none that another is read ahead of. */
    private static Stream<PartitionReader> free(Collection<PartitionReader> readers) {
        Set<PartitionToken> together = readers.stream()
                .flatMap(reader -> reader.gate().together().stream())
                .collect(Collectors.toSet());
        return readers.stream()
                .filter(reader -> !reader.isHandingOver()
                        && !together.contains(reader.partition().token()));
    }

    private void handOver(PartitionReader reader, List<PartitionMetadata> waiting) {
        log.info(
                "[{}] handed over at {}: {} partitions wait, the oldest since {}",
                context.label(reader.partition().token()),
                reader.partition().watermark(),
                waiting.size(),
                waiting.getFirst().watermark());
        reader.handOver();
    }

    private boolean isOverdue(PartitionReader reader) {
        OptionalLong since = reader.handingOverSince();
        return since.isPresent()
                && context.time().nanoTime() - since.getAsLong()
                        >= context.options().drainTimeout().toNanos();
    }

    private Optional<PartitionReader> longestAheadOf(Instant waiting, Collection<PartitionReader> readers) {
        return free(readers)
                .filter(reader -> reader.partition().watermark().isAfter(waiting))
                .min(LONGEST_FIRST);
    }

    /**
     * Stores the watermark of a partition that is no longer read or consumed, and releases it. If the storage fails
     * until the run ends, nothing is changed.
     */
    void complete(HeldPartition partition, BooleanSupplier wanted) throws InterruptedException {
        try {
            watermarks.persist(partition, wanted);
            if (partition.isHeld()) {
                release(partition, wanted);
            }
        } catch (StorageException e) {
            if (!e.retryable() || wanted.getAsBoolean()) {
                throw e;
            }
        }
        if (!partition.isHeld()) {
            partition.revoke();
        }
    }

    private void release(HeldPartition partition, BooleanSupplier wanted) throws InterruptedException {
        partition.leaving();
        context.storageCalls().repeat("releasing a partition", partition.token(), wanted, storage -> {
            storage.release(List.of(partition.lease()));
            return true;
        });
        partition.released();
        log.info("[{}] released at {}", context.label(partition.token()), partition.watermark());
        context.listener().publish(listener -> listener.partitionReleased(partition.token()));
    }

    /**
     * Stores the last watermarks of a run, unless a flush hangs: they must not pass changes that were not flushed.
     */
    void storeLast(List<PartitionReader> left, BooleanSupplier inTime) throws InterruptedException {
        if (!watermarks.isFlushing()) {
            watermarks.persist(left.stream().map(PartitionReader::partition).toList(), inTime);
        }
    }

    /**
     * Ends the registration of the worker, and releases idle partitions. Releases none while a flush hangs: it may still
     * write changes, which another worker would then deliver again.
     */
    void releaseLast(List<PartitionReader> left, BooleanSupplier inTime) throws InterruptedException {
        List<PartitionReader> idle = watermarks.isFlushing()
                ? List.of()
                : left.stream().filter(PartitionReader::isIdle).toList();
        List<PartitionLease> leases =
                idle.stream().map(reader -> reader.partition().lease()).toList();
        context.storageCalls()
                .run("ending the registration", inTime, storage -> storage.unregisterWorker(context.worker()));
        if (!leases.isEmpty()) {
            context.storageCalls().run("releasing partitions", inTime, storage -> storage.release(leases));
        }
        idle.forEach(reader -> context.listener()
                .publish(listener ->
                        listener.partitionReleased(reader.partition().token())));
    }
}
