package dev.spream.core.subscription.transaction;

import dev.spream.core.consume.MissingChanges;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionGap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides why changes of a transaction are missing, and logs some of those transactions. Guarded by the lock of its {@link
 * TransactionAssembler}.
 */
final class IncompleteJudge {
    private static final Logger log = LoggerFactory.getLogger(IncompleteJudge.class);

    private final String stream;
    private final AcceptedGaps gaps = new AcceptedGaps();
    private long judged;

    IncompleteJudge(String stream) {
        this.stream = stream;
    }

    /** Takes the gaps of the stored partitions. */
    void observe(Lineage lineage) {
        gaps.observe(lineage);
    }

    void accept(PartitionGap gap) {
        gaps.add(gap);
    }

    /** Returns why changes of the transaction are missing, although every partition was read past it. */
    MissingChanges judge(OpenTransaction transaction) {
        MissingChanges missing =
                gaps.contains(transaction.commitTimestamp()) ? MissingChanges.GAP : MissingChanges.SETTLED_BEFORE;
        judged++;
        if (Long.bitCount(judged) == 1) {
            log.info(
                    "[{}] transaction {} of {} has {} of {} changes, and is delivered as it is, as incomplete: {}; it is number {} of them since the start, and the next one that is logged is number {}",
                    stream,
                    transaction.id(),
                    transaction.commitTimestamp(),
                    transaction.size(),
                    transaction.first().numberOfRecordsInTransaction(),
                    switch (missing) {
                        case GAP -> "its commit timestamp is in an accepted gap";
                        case SETTLED_BEFORE ->
                            "this process has not read the other changes: they were settled before it began or before a lost lease, or are in a gap of a partition that is finished";
                    },
                    judged,
                    2 * judged);
        }
        return missing;
    }
}
