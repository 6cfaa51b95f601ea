package dev.spream.core.subscription;

import dev.spream.core.consume.UndecodableRowException;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.subscription.inflight.PendingLanes;
import dev.spream.core.subscription.lease.HeldPartition;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/**
 * Takes the changes of one partition in read order and has them delivered. The reader's thread calls those methods that
 * take records; all others may be called from any thread.
 */
sealed interface ChangeDispatcher permits RecordDispatcher, TransactionDispatcher {

    HeldPartition partition();

    /**
     * Takes a change, waiting for room.
     *
     * @param position the timestamp up to which the partition has been read
     * @return false if the dispatcher is stopping; the change was not taken
     */
    boolean submit(DataChangeRecord change, Instant position) throws InterruptedException;

    /** Starts to deliver all changes that were taken; some of them may have been held back to start together. */
    default void handOver() {}

    /** Dead-letters a change that cannot be decoded, ahead of everything in flight. */
    void keepUndecodable(DataChangeRecord change, UndecodableRowException failure) throws InterruptedException;

    /** Takes a move-out: it is settled when everything that was submitted before is. */
    void movedOut(PartitionEventRecord event);

    /** Returns whether changes settle without those of other partitions. */
    default boolean settlesAlone() {
        return true;
    }

    /** Notes that the partition has been read up to that time. */
    default void readUpTo(Instant timestamp) {}

    /** Notes a loss, which is only determined if it matters: no change in it will be submitted. */
    default void lost(Supplier<PartitionGap> loss) {}

    /** Notes that a gap of the partition is stored. */
    default void accepted(PartitionGap gap) {}

    /** Notes that partitions which continue this one are stored. */
    default void started(Collection<PartitionToken> partitions, Instant start) {}

    /** Notes that the partition has been read to its end. */
    default void readToEnd() {}

    /** Lets the watermark be stored now if a move-out is settled. */
    void storeMoveOuts();

    /** Sets the records of other partitions that those submitted from now on follow, lane by lane. */
    void continueAfter(List<PendingLanes> others);

    /** Returns the records that are in flight, by lane. */
    PendingLanes pending();

    /**
     * Waits until every record that was taken is settled.
     *
     * @return false if the dispatcher was stopped first
     */
    boolean awaitSettled() throws InterruptedException;

    /**
     * Waits until the consumer is not being called.
     *
     * @param graceAfterCancel how long to wait for a consumer that was interrupted; asked for then
     * @return false if the consumer did not return from an interrupted call in that time
     */
    boolean awaitIdle(Supplier<Duration> graceAfterCancel) throws InterruptedException;

    boolean isIdle();

    /** Lets started records finish, and leaves the others unsettled. */
    void stop();

    /** Stops, and interrupts the consumer. */
    void cancel();

    boolean isStopping();

    /** Returns whether that is a thread of this dispatcher, in a call of the consumer or other user code. */
    boolean isCalledBy(Thread thread);
}
