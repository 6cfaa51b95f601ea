package dev.spream.emulator.junit;

import static java.util.Comparator.comparingLong;

import dev.spream.emulator.control.Fault;
import dev.spream.emulator.control.FaultControl;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.control.PartitionControl.KeyRange;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import java.util.List;

/**
 * A change stream of a test's database: what happens to its partitions and queries, a call each. Safe for use by many
 * threads.
 */
public final class TestStream {
    private final PartitionControl partitions;
    private final FaultControl faults;

    TestStream(PartitionControl partitions, FaultControl faults) {
        this.partitions = partitions;
        this.faults = faults;
    }

    /** Splits the partition with the most keys into two. */
    public void split() {
        PartitionView widest =
                partitions.live().stream().max(comparingLong(TestStream::keys)).orElseThrow();
        partitions.split(widest.token());
    }

    private static long keys(PartitionView partition) {
        return partition.ranges().stream().mapToLong(TestStream::length).sum();
    }

    private static long length(KeyRange range) {
        return range.to() - range.from();
    }

    /**
     * Merges the first two partitions into one.
     *
     * @throws IllegalStateException if there is only one
     */
    public void merge() {
        List<PartitionView> live = partitions.live();
        if (live.size() < 2) {
            throw new IllegalStateException("the stream has one partition, and a merge needs two: split it first");
        }
        partitions.merge(live.get(0).token(), live.get(1).token());
    }

    /** Moves every partition to another server: each is replaced by one of the same keys. */
    public void move() {
        partitions.live().forEach(partition -> partitions.move(partition.token()));
    }

    /** Breaks every running query with UNAVAILABLE; clients then query again. */
    public void breakQueries() {
        faults.running(Fault.of(Fault.Kind.UNAVAILABLE));
    }

    /** Breaks the next query, or a running one at its next record, with UNAVAILABLE. */
    public void breakNext() {
        faults.next(Fault.of(Fault.Kind.UNAVAILABLE));
    }

    /** Stalls every running query: it stays open and returns nothing, heartbeats included, until {@link #resume}. */
    public void stall() {
        faults.running(Fault.of(Fault.Kind.STALL));
    }

    /** Lets stalled queries continue, and clears faults that have not taken effect. */
    public void resume() {
        faults.clear();
    }

    /** Returns the partitions, for what has no call here. */
    public PartitionControl partitions() {
        return partitions;
    }

    /** Returns the fault injection, for what has no call here. */
    public FaultControl faults() {
        return faults;
    }
}
