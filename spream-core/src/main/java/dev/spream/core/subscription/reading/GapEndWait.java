package dev.spream.core.subscription.reading;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.Waiter;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The wait of one partition at the end of a gap, until all others have settled everything before then: the partitions that live there
 * are stored with the end of the gap as their start, unless another one has named them with an earlier start. Waits on the
 * reader's thread; the scheduler reports each lineage that it reads.
 *
 * <p>No partition that has something to settle before the end of the gap waits for this one: its watermark is at the end.
 */
public final class GapEndWait {
    private static final Logger log = LoggerFactory.getLogger(PartitionReading.class);

    private final PartitionToken partition;
    private final String label;
    private final BooleanSupplier isReading;
    private final Runnable readLineage;
    private final Duration interval;
    private final Waiter changed;
    private volatile @Nullable Lineage latest;
    private volatile @Nullable Instant waitsFor; // the end of the gap; null if it does not wait

    /**
     * @param label the name of the partition at the start of log lines
     * @param isReading whether the partition is still to be read; code that makes it false also calls {@link #wake}
     * @param readLineage has a lineage read, which is then {@linkplain #observe observed}
     * @param interval the time after which it is to be read again
     */
    public GapEndWait(
            PartitionToken partition,
            String label,
            BooleanSupplier isReading,
            Runnable readLineage,
            Duration interval,
            MonotonicTime time) {
        this.partition = partition;
        this.label = label;
        this.isReading = isReading;
        this.readLineage = readLineage;
        this.interval = interval;
        this.changed = new Waiter(time);
    }

    /** Waits until the others have been read up to that time; returns false if the partition is not to be read any more. */
    public boolean await(Instant gapEnd) throws InterruptedException {
        try {
            while (isReading.getAsBoolean()) {
                Lineage lineage = latest;
                if (lineage != null && lineage.othersAreReadUpTo(gapEnd, partition)) {
                    return true;
                }
                noteWaiting(gapEnd);
                readLineage.run();
                changed.await(interval);
            }
            return false;
        } finally {
            waitsFor = null;
        }
    }

    private void noteWaiting(Instant gapEnd) {
        if (waitsFor == null) {
            log.info(
                    "[{}] reading continues at {}, the end of a gap, once all other partitions have settled what is before",
                    label,
                    gapEnd);
        }
        waitsFor = gapEnd;
    }

    /** Takes a lineage that was just read. */
    public void observe(Lineage lineage) {
        latest = lineage;
        Instant gapEnd = waitsFor;
        if (gapEnd != null && lineage.othersAreReadUpTo(gapEnd, partition)) {
            changed.signal();
        }
    }

    /** Ends a wait, so that its condition is checked again. */
    public void wake() {
        changed.signal();
    }

    /** Returns whether the reader's thread waits here. */
    public boolean isWaiting() {
        return waitsFor != null;
    }
}
