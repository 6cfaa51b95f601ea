package dev.spream.core.consume;

import dev.spream.core.partition.PartitionLease;
import java.util.Set;

/**
 * Stores the dead letters of a subscription. Called by many threads at once; the letters of one key arrive one at a
 * time, in commit order. One sink serves one subscription.
 *
 * <p>A row of the stream that could not be decoded is a letter as well, if the subscription is configured so: its
 * failure's cause is an {@link UndecodableRowException} that has the row, and its change has no rows and no keys.
 *
 * <p>A sink that also returns its letters, and releases keys, is a {@link DeadLetterStore}.
 */
public interface DeadLetterSink {

    /**
     * Stores the letter. It is durable when this returns, and the change counts as settled. After a crash the same
     * change may arrive again, with the same {@linkplain dev.spream.core.record.DataChangeRecord#identity()
     * identity}. From a letter with the reason {@link DeadLetter.Reason#PARKED} or {@link
     * DeadLetter.Reason#BEHIND_PARKED} on, all keys of its change are parked.
     *
     * @throws Exception anything; the change is not settled then, and the subscription stops
     */
    void accept(DeadLetter letter) throws Exception;

    /**
     * Stores a letter with the reason {@link DeadLetter.Reason#BEHIND_PARKED}, as {@link #accept} does, provided that
     * at least one key of its change is parked at this moment. Check and storing are atomic: a key that is being
     * released gets no letter after its release, and is not delivered before it.
     *
     * <p>A sink whose keys are released only while no subscription uses it need not implement this.
     *
     * @return false if none of the keys is parked: nothing was stored, and the change is to be delivered
     * @throws Exception as {@link #accept} does
     */
    default boolean acceptIfParked(DeadLetter letter) throws Exception {
        accept(letter);
        return true;
    }

    /**
     * Returns the keys that are parked and not released: all keys of every change dead-lettered as {@link
     * DeadLetter.Reason#PARKED} or {@link DeadLetter.Reason#BEHIND_PARKED}, because a change of several keys holds up
     * each of them. Keys that are released later are detected by {@link #acceptIfParked}.
     */
    Set<RecordKey> parkedKeys() throws Exception;

    /**
     * Returns the parked keys for the new owner of a partition, which calls it before it reads the partition. A sink
     * that several processes use at once accepts no further letter of this partition from an earlier owner: {@link
     * #accept} fails there, because the change is delivered again here. So the returned keys are complete for this
     * partition.
     *
     * <p>A sink that one process at a time has open need not implement this.
     */
    default Set<RecordKey> parkedKeys(PartitionLease acquired) throws Exception {
        return parkedKeys();
    }
}
