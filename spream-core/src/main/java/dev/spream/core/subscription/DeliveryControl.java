package dev.spream.core.subscription;

import dev.spream.core.subscription.inflight.InflightRecord;
import java.time.Duration;

/** The dispatcher of a partition, as deliveries see it: it says whether they go on, and is told their outcome. */
interface DeliveryControl {
    /** Whether changes must be left, unsettled, because the dispatcher stops. */
    boolean isStopping();

    /** Whether the consumer was interrupted for good, so that what it threw is not a failure. */
    boolean isCancelled();

    /** Waits before a retry, holding up nothing but what the change holds up; returns early when the dispatcher stops. */
    void pause(Duration delay) throws InterruptedException;

    /** The record is settled; others of its delivery may not be yet. */
    void settle(InflightRecord record);

    /**
     * The record was not handled, and is to be handed over again when it may be.
     *
     * @param alone whether in a call of its own
     */
    void putBack(InflightRecord record, boolean alone);

    /** The record failed, and its failure has to be judged, on a thread of its own. */
    void judge(InflightRecord record);
}
