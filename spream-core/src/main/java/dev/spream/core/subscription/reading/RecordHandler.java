package dev.spream.core.subscription.reading;

import dev.spream.core.consume.UndecodableRowException;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.source.SourceException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of what a {@link PartitionReading} reads, in read order, without repetitions. Called by the reading's thread;
 * a method that waits holds the reading up.
 */
public interface RecordHandler {

    /**
     * Takes a change that was not read before, waiting for room.
     *
     * @param position the timestamp up to which the partition has been read
     * @return false if the reading has to stop: the change was not taken, and no later record may be, because a later
     *     mark would skip it
     */
    boolean change(DataChangeRecord change, Instant position) throws InterruptedException;

    /**
     * Hands over the changes that were taken: the reading may wait now, or takes a record of another kind. Until then they
     * may be held back, so that those that came together are handed over together.
     */
    default void handOver() {}

    /** Returns whether changes of one key are kept in order when it moves to another partition. */
    boolean keepsOrder();

    /** Returns whether a row that cannot be decoded is kept and skipped; otherwise its failure ends the reading. */
    boolean keepsUndecodable();

    /**
     * Keeps a row that cannot be decoded.
     *
     * @param standIn a change without rows, which has the values that are known
     * @return false if the reading has to stop; the row was not kept
     */
    boolean undecodable(DataChangeRecord standIn, UndecodableRowException failure) throws InterruptedException;

    /**
     * Takes partitions that continue this one, before the position moves past them. Started partitions of a stream with
     * mutable key ranges come as children without parents.
     *
     * @return false if they were not taken; the reading continues, and takes no position from them
     */
    boolean children(ChildPartitionsRecord children) throws InterruptedException;

    /**
     * Waits while another partition finds the partitions that live at that time, the end of a gap of both. Returns whether
     * they are stored, or the reading has to stop; otherwise the caller finds them, and calls {@link #searchedLiving}.
     */
    default boolean isLivingStored(Instant at) throws InterruptedException {
        return false;
    }

    /** Notes that the search for living partitions has ended. */
    default void searchedLiving(Instant at, boolean stored) {}

    /**
     * Waits until every other partition has been read up to that time, the end of a gap of this one: before, it may name a
     * partition with an earlier start.
     *
     * @return false if the reading has to stop
     */
    default boolean awaitOthers(Instant at) throws InterruptedException {
        return true;
    }

    /** Takes moved key ranges; everything before them was read and taken. */
    void moved(PartitionEventRecord event) throws InterruptedException;

    /** Takes a timestamp: everything before it was read and taken. */
    void readUpTo(Instant timestamp) throws InterruptedException;

    /** Takes a heartbeat, or the end of a query that brought nothing more; the position is marked. */
    default void idle() throws InterruptedException {}

    /** Notes that a change was returned again. */
    default void repeated(DataChangeRecord change) {}

    /** Returns the exception that ends the reading, because the partition cannot be read any further. */
    RuntimeException unreadable(SourceException failure);

    /** Returns the exception that ends the reading, because a change came after a later one. */
    RuntimeException outOfOrder(DataChangeRecord change, Instant latestChange);

    /** Notes that the stream broke, and will be queried again. */
    default void reconnecting(int attempt, Duration delay, @Nullable SourceException cause) {}

    /** Notes that a stream that broke returns records again. */
    default void reconnected() {}
}
