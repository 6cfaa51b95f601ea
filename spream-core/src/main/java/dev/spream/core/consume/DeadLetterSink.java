package dev.spream.core.consume;

import java.util.Set;

/**
 * Keeps the changes that were set aside. Called by many threads at once; the letters of one key come one at a time, in
 * commit order.
 */
public interface DeadLetterSink {

    /**
     * Keeps the letter. It is durable when this returns, and the change counts as settled. The same change may come again
     * after a crash; its {@linkplain dev.spream.core.record.DataChangeRecord#identity() identity} tells.
     *
     * @throws Exception anything; the change is not settled then, and the subscription stops
     */
    void accept(DeadLetter letter) throws Exception;

    /**
     * The keys that are parked and not released: all keys of every change set aside as {@link DeadLetter.Reason#PARKED} or
     * {@link DeadLetter.Reason#BEHIND_PARKED}, because a change of several keys holds up each of them. Asked when a
     * subscription starts.
     */
    Set<RecordKey> parkedKeys() throws Exception;
}
