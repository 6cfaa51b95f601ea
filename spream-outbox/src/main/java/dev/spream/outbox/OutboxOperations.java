package dev.spream.outbox;

import dev.spream.core.StorageException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Operator access to an outbox while workers run: queries and manual changes. Every change is one transaction, which
 * includes its audit row; an entry that a worker is sending under a valid lease is not changed.
 *
 * <p>Safe for use by many threads. Failures are {@link StorageException}s.
 */
public interface OutboxOperations extends AutoCloseable {
    /**
     * Returns statistics for gauges, at a low cost however large the backlog is. A store may count up to a bound of its
     * own, 10,000 or more of each status, and estimate beyond it; the result marks the estimated numbers.
     */
    OutboxStats stats();

    /** Returns statistics in which all unsettled entries are counted; takes seconds for a million entries. */
    OutboxStats exactStats();

    /** Returns the matching entries in the order of their ids. */
    List<OutboxRow> list(OutboxFilter filter);

    Optional<OutboxRow> find(long id);

    Optional<OutboxRow> find(String idempotencyKey);

    /** Returns the payload of an entry, a JSON text, which may be confidential. */
    Optional<String> payload(long id);

    /** Returns the manual changes of an entry, oldest first, even if the entry was purged. */
    List<AuditEntry> audit(long id);

    /**
     * Makes an entry due immediately, from its first attempt. An aborted entry gets a new generation of its request. A
     * parked entry is sent again even if it may have reached the receiver: the operator must have verified that it did
     * not. An entry that waits for its next attempt stays marked if an earlier attempt may have reached the receiver,
     * so a receiver that can be queried is queried first. Refused for an entry that succeeded or is already due.
     */
    OperatorResult requeue(long id, OperatorAction act);

    /**
     * Settles an entry with an outcome that the operator supplies: succeeded or aborted. If the ledger already has the
     * result of the request, the entry takes over that result instead, and the audit records it. Refused for a settled
     * entry, and for one whose key belongs to another request in the ledger.
     *
     * @param result the result to store in the ledger
     */
    OperatorResult settle(long id, LedgerResult result, OperatorAction act);

    /** Aborts an entry as {@link ReasonCode#ABORTED_BY_HAND}; otherwise like {@link #settle}. */
    OperatorResult abort(long id, OperatorAction act);

    /**
     * Releases entries with an expired lease, so that they are due. Needed only for an outbox without workers, which
     * take over such entries themselves.
     *
     * @return the number of released entries
     */
    int releaseExpired(OperatorAction act);

    /**
     * Removes entries that were settled at least that long ago, oldest first; their requests stay in the ledger. The
     * audit gets one row for all removed entries.
     *
     * @param limit how many at most
     * @return the number of removed entries; less than the limit if there are no more
     */
    int purge(Duration settledFor, int limit, OperatorAction act);

    /**
     * Removes requests from the ledger that were settled at least that long ago and whose entries are no longer in the
     * outbox; such a request is processed again if a client repeats it.
     *
     * @param limit how many at most
     * @return the number of removed requests; less than the limit if there are no more
     */
    int pruneLedger(Duration settledFor, int limit, OperatorAction act);

    @Override
    void close();
}
