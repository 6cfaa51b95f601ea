package dev.spream.core.subscription;

import dev.spream.core.subscription.inflight.InflightRecord;
import java.time.Duration;

/**
 * The interface of a partition's dispatcher to its deliveries: it decides whether they continue, and receives their
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

    /** Reports that the record is settled. Other records of its delivery may still be unsettled. */
    void settle(InflightRecord record);

    /**
     * Reports that the record was not delivered; it is delivered again when its order allows.
     *
     * @param alone whether it must be delivered in a call of its own
     */
    void putBack(InflightRecord record, boolean alone);

    /** Reports that the record failed; the error handler then decides about it on a thread of its own. */
    void judge(InflightRecord record);
}
