package dev.spream.outbox;

import dev.spream.core.StorageException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Operator access to an outbox while workers run: queries and manual changes. Every change is one transaction together with its
 * entry in the audit; an entry that a worker is sending under a valid lease is not changed.
 *
 * <p>Safe for use by many threads. Failures are {@link StorageException}s.
 */
public interface OutboxOperations extends AutoCloseable {
    /**
     * Numbers that cost little however much waits, for gauges. A store may count to a bound of its own, 10,000 or more of each
     * status, and estimate what is beyond; the numbers say which of them that is.
     */
    OutboxStats stats();

    /** The same, where everything that is not settled is counted; it takes seconds once there are a million. */
    OutboxStats exactStats();

    /** In the order of their ids. */
    List<OutboxRow> list(OutboxFilter filter);

    Optional<OutboxRow> find(long id);

    Optional<OutboxRow> find(String idempotencyKey);

    /** The payload of an entry, a JSON text; it may be confidential. */
    Optional<String> payload(long id);

    /** What was changed by hand of an entry, the oldest first; also of one that was purged. */
    List<AuditEntry> audit(long id);

    /**
     * Has an entry tried again from its first attempt on, at once. One that was aborted is a new generation of its request. One
     * that is parked is sent again even if it may have reached the receiver: the operator must have verified that it did not. One
     * that waits for its next attempt keeps what is known of the earlier ones: a receiver that can be asked is asked first.
     * Refused of one that succeeded, or is due anyway.
     */
    OperatorResult requeue(long id, OperatorAction act);

    /**
     * Settles an entry with an outcome that the operator knows: succeeded or aborted. If the ledger has an answer to its request
     * already, the entry takes over that result instead, and the audit records it. Refused of one that is settled, and of one
     * under whose key the ledger has another request.
     *
     * @param result for the ledger
     */
    OperatorResult settle(long id, LedgerResult result, OperatorAction act);

    /** Gives an entry up as {@link ReasonCode#ABORTED_BY_HAND}; otherwise like {@link #settle}. */
    OperatorResult abort(long id, OperatorAction act);

    /**
     * Releases entries with an expired lease, so that they are due. Workers do so themselves; this is for an outbox without
     * workers.
     *
     * @return how many there were
     */
    int releaseExpired(OperatorAction act);

    /**
     * Removes entries that were settled that long ago, those settled first before others; what the ledger says of them stays.
     * The audit has one entry for all that were removed.
     *
     * @param limit how many at most
     * @return how many were removed; less than the limit if there are no more
     */
    int purge(Duration settledFor, int limit, OperatorAction act);

    /**
     * Has the ledger forget requests that were settled that long ago and that the outbox does not have any more; a client
     * that repeats one afterwards has it done again.
     *
     * @param limit how many at most
     * @return how many were forgotten; less than the limit if there are no more
     */
    int pruneLedger(Duration settledFor, int limit, OperatorAction act);

    @Override
    void close();
}
