package dev.spream.core.subscription.transaction;

import dev.spream.core.consume.MissingChanges;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionMetadata;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Decides why changes of a transaction are missing, and logs some of those transactions. Guarded by the lock of its {@link
 * TransactionAssembler}.
 */
final class IncompleteJudge {
    private static final Logger log = LoggerFactory.getLogger(IncompleteJudge.class);

    private final String stream;
    private final Periods gaps = new Periods();
    private final Periods settledBefore = new Periods();
    private final Map<TransactionSource, Instant> lastSettled = new HashMap<>(); // the latest commit timestamp
    private final Map<MissingChanges, Long> judged = new EnumMap<>(MissingChanges.class);

    IncompleteJudge(String stream) {
        this.stream = stream;
    }

    /** Takes the gaps of the stored partitions. */
    void observe(Lineage lineage) {
        lineage.partitions().forEach(partition -> partition.gaps().forEach(this::accept));
    }

    /** Takes what was settled and skipped before partitions are read here. */
    void begin(Lineage lineage, List<FinishedPartition> removed) {
        observe(lineage);
        for (PartitionMetadata partition : lineage.partitions()) {
            boolean inclusive = partition.isFinished() || partition.moveOuts().isPresent();
            settled(partition.startTimestamp(), partition.watermark(), inclusive);
        }
        for (FinishedPartition partition : removed) {
            partition.gaps().forEach(this::accept);
            settled(partition.startTimestamp(), partition.endProof().at(), true);
        }
    }

    private void settled(Instant from, Instant to, boolean inclusive) {
        settledBefore.add(from, inclusive && to.isBefore(Instant.MAX) ? to.plusNanos(1) : to);
    }

    void accept(PartitionGap gap) {
        gaps.add(gap.from(), gap.to());
    }

    /** Notes that a transaction was settled here. */
    void settled(OpenTransaction transaction) {
        Instant at = transaction.commitTimestamp();
        for (TransactionSource source : transaction.sources()) {
            if (source.isStopping()) {
                settled(at, at, true); // what is read of it again comes without the other changes
            } else {
                lastSettled.merge(source, at, (one, other) -> one.isAfter(other) ? one : other);
            }
        }
    }

    /** Notes that a partition is no longer read here, and may be read again from its stored watermark. */
    void stopped(TransactionSource source) {
        Instant last = lastSettled.remove(source);
        if (last != null) {
            settled(source.partition().persistedWatermark(), last, true);
        }
    }

    /** Returns why changes of the transaction are missing, although every partition was read past it. */
    MissingChanges judge(OpenTransaction transaction) {
        MissingChanges missing = reason(transaction);
        long number = judged.merge(missing, 1L, Long::sum);
        if (Long.bitCount(number) == 1) {
            log.atLevel(missing == MissingChanges.UNKNOWN ? Level.WARN : Level.INFO)
                    .log(
                            "[{}] transaction {} of {} has {} of {} changes, and is delivered as it is, as incomplete: {}; it is number {} of them with this reason since the start, and the next one that is logged is number {}",
                            stream,
                            transaction.id(),
                            transaction.commitTimestamp(),
                            transaction.size(),
                            transaction.first().numberOfRecordsInTransaction(),
                            switch (missing) {
                                case GAP -> "its commit timestamp is in an accepted gap";
                                case SETTLED_BEFORE ->
                                    "the other changes were settled before this process read it, or read it again";
                                case UNKNOWN ->
                                    "no accepted gap and no earlier settlement explains it, and the other changes may be lost; spream verify checks the partitions";
                            },
                            number,
                            2 * number);
        }
        return missing;
    }

    private MissingChanges reason(OpenTransaction transaction) {
        if (gaps.contains(transaction.commitTimestamp())) {
            return MissingChanges.GAP;
        }
        return transaction.isDeliveredBefore() || settledBefore.contains(transaction.commitTimestamp())
                ? MissingChanges.SETTLED_BEFORE
                : MissingChanges.UNKNOWN;
    }
}
