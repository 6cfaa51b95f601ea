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
     * The keys that are parked and not released. Asked when a subscription starts, and from time to time for those that
     * were released since.
     */
    Set<RecordKey> parkedKeys() throws Exception;
}
