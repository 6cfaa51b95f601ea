package dev.spream.outbox.worker;

import dev.spream.core.StorageException;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import java.time.Duration;

/**
 * A listener for the events of an {@link OutboxWorker}, for metrics, logs and spans. Called on the worker's threads; its
 * exceptions are logged and otherwise ignored. It has to be fast and safe for use by many threads.
 */
public interface OutboxListener {
    /** Entries were claimed; also when there were none to claim. */
    default void claimed(ClaimResult result, Duration took) {}

    /** An attempt begins, on the thread that sends. */
    default void sending(OutboxClaim claim) {}

    /**
     * An attempt, or a query, is over, on the thread that made it; its settlement follows.
     *
     * @param queried whether the receiver was asked for the outcome of an earlier attempt, and nothing was sent
     */
    default void sent(OutboxClaim claim, SendOutcome outcome, boolean queried, Duration took) {}

    /**
     * A claim has ended, and the store says so.
     *
     * @param sinceClaim from its claim on
     */
    default void settled(OutboxClaim claim, Settlement settlement, Duration sinceClaim) {}

    /** Settlements were written together; how many, and how long it took. */
    default void committed(int settlements, Duration took) {}

    /** A claim is not the worker's any more; whatever came of it is dropped. */
    default void leaseLost(OutboxClaim claim) {}

    /** Entries were aborted because they had expired. */
    default void expired(int entries) {}

    /** Rows were removed since they were old; how many, more than none. */
    default void removed(OutboxHistory part, int rows) {}

    /** Nothing is claimed for a while, since nothing could be sent that often in a row, or the entry tried since then could not. */
    default void breakerOpened(int failures, Duration pause) {}

    /** Entries are claimed again. */
    default void breakerClosed() {}

    /** The store failed; the worker retries. */
    default void storeFailed(StorageException failure) {}

    /** The store answers again: a call of it, of whatever kind, succeeded after one had failed. */
    default void storeAnswered() {}
}
