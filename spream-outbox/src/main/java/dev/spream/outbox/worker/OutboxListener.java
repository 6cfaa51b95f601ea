package dev.spream.outbox.worker;

import dev.spream.core.StorageException;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.List;

/**
 * A listener for the events of an {@link OutboxWorker}, for metrics, logs and spans. Called on the worker's threads;
 * exceptions are logged and otherwise ignored. Implementations must be fast and safe for use by many threads.
 */
public interface OutboxListener {
    /** Called after each claim, also if it returned no entries. */
    default void claimed(ClaimResult result, Duration took) {}

    /**
     * Called when entries that were claimed as they were enqueued are about to be sent, on the thread that reports their
     * commit.
     */
    default void enqueued(List<OutboxClaim> claims) {}

    /** Called before an attempt or a query, on the thread that makes it. */
    default void sending(OutboxClaim claim) {}

    /**
     * Called after an attempt or a query, on the thread that made it, before its settlement.
     *
     * @param queried whether the receiver was queried for the outcome of an earlier attempt, and nothing was sent
     */
    default void sent(OutboxClaim claim, SendOutcome outcome, boolean queried, Duration took) {}

    /**
     * Called after the store has confirmed the settlement of a claim.
     *
     * @param sinceClaim the time since the claim
     */
    default void settled(OutboxClaim claim, Settlement settlement, Duration sinceClaim) {}

    /** Called after a number of settlements were written in one transaction. */
    default void committed(int settlements, Duration took) {}

    /** Called when a claim was lost; its outcome is dropped. */
    default void leaseLost(OutboxClaim claim) {}

    /** Called after a number of entries, one or more, were aborted or parked because they had expired. */
    default void expired(int entries) {}

    /** Called after a number of old rows, one or more, were removed. */
    default void removed(OutboxHistory part, int rows) {}

    /**
     * Called when the circuit breaker of a sender opens, after that number of consecutive attempts or a failed probe;
     * nothing is claimed for it during the pause.
     *
     * @param destination the destination of the sender; empty for the default sender
     */
    default void breakerOpened(String destination, int failures, Duration pause) {}

    /** Called when the circuit breaker of a sender closes; entries are claimed for it again. */
    default void breakerClosed(String destination) {}

    /** Called when a call of the store failed; the worker retries. */
    default void storeFailed(StorageException failure) {}

    /** Called when any call of the store succeeded after one had failed. */
    default void storeAnswered() {}
}
