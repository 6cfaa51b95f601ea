package dev.spream.core.consume;

import dev.spream.core.partition.PartitionLease;
import java.util.Set;

/**
 * Keeps the changes that were set aside. Called by many threads at once; the letters of one key come one at a time, in
 * commit order. One sink serves one subscription.
 *
 * <p>A row of the stream that could not be decoded is a letter as well, if the subscription is told so: its failure's cause is
 * an {@link UndecodableRowException} that has the row, and its change has no rows and no keys.
 *
 * <p>A sink that also hands its letters back, and releases keys, is a {@link DeadLetterStore}.
 */
public interface DeadLetterSink {

    /**
     * Keeps the letter. It is durable when this returns, and the change counts as settled. The same change may come again
     * after a crash; its {@linkplain dev.spream.core.record.DataChangeRecord#identity() identity} tells. From a letter set
     * aside as {@link DeadLetter.Reason#PARKED} or {@link DeadLetter.Reason#BEHIND_PARKED} on, all keys of its change are
     * parked.
     *
     * @throws Exception anything; the change is not settled then, and the subscription stops
     */
    void accept(DeadLetter letter) throws Exception;

    /**
     * Keeps a letter set aside as {@link DeadLetter.Reason#BEHIND_PARKED}, as {@link #accept} does, provided that at least
     * one key of its change is parked at this moment. Check and keeping are one step: a key that is being released gets no
     * letter after its release, and is not delivered before it.
     *
     * <p>A sink whose keys are released only while no subscription uses it need not implement this.
     *
     * @return false if none of the keys is parked: nothing was kept, and the change is to be delivered
     * @throws Exception as {@link #accept} does
     */
    default boolean acceptIfParked(DeadLetter letter) throws Exception {
        accept(letter);
        return true;
    }

    /**
     * The keys that are parked and not released: all keys of every change set aside as {@link DeadLetter.Reason#PARKED} or
     * {@link DeadLetter.Reason#BEHIND_PARKED}, because a change of several keys holds up each of them. Keys that are
     * released later are noticed by {@link #acceptIfParked}.
     */
    Set<RecordKey> parkedKeys() throws Exception;

    /**
     * The same, asked by whoever acquired a partition, before it reads the partition. A sink that several processes use at
     * once takes no letter of this partition any more from one that had it before: {@link #accept} fails there, because the
     * change comes again here. So what is known from now on about the letters of the partition's keys stays complete.
     *
     * <p>A sink that one process at a time has open need not implement this.
     */
    default Set<RecordKey> parkedKeys(PartitionLease acquired) throws Exception {
        return parkedKeys();
    }
}
