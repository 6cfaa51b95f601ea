package dev.spream.core.subscription;

import dev.spream.core.subscription.inflight.InflightRecord;
import java.time.Duration;

/**
 * The dispatcher of a partition, as seen by its deliveries: it decides whether they continue, and receives their
 * outcome.
 */
interface DeliveryControl {
    /** Returns whether changes must be left, unsettled, because the dispatcher stops. */
    boolean isStopping();

    /** Returns whether the consumer was interrupted by a cancel, so that its exception is not a failure. */
    boolean isCancelled();

    /**
     * Waits before a retry; only changes that must follow this one are held up; returns early when the dispatcher
     * stops.
     */
    void pause(Duration delay) throws InterruptedException;

    /** The record is settled; others of its delivery may not be yet. */
    void settle(InflightRecord record);

    /**
     * The record was not delivered, and is delivered again when its order allows.
     *
     * @param alone whether in a call of its own
     */
    void putBack(InflightRecord record, boolean alone);

    /** The record failed, and the error handler must decide on a thread of its own. */
    void judge(InflightRecord record);
}
