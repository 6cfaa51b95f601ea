package dev.spream.storage.jdbc.outbox.dialect;

import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.Settlement;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The statements of an outbox that kinds of database write differently. Methods that are those of {@link OutboxStore}
 * and {@link OutboxOperations} do what these say. Safe for use by many threads.
 */
public interface OutboxSql {
    OutboxDatabase database();

    /** Returns an expression that identifies the server and the table of entries. */
    String server();

    /** Returns whether the server notifies workers of other processes; otherwise they find new entries at their next poll. */
    boolean notifies();

    /** Logs a warning if the server confirms commits before they are on disk. */
    void checkDurability();

    /**
     * Inserts messages and their ledger rows, in the order of their keys, those whose keys are free; may also insert
     * none if one of several is taken, which {@link #find} then finds. Waits for open transactions that have inserted
     * one of the keys.
     *
     * @param messages messages with different keys
     * @return the entries that were inserted
     * @throws IllegalArgumentException if a payload cannot be stored
     */
    List<EnqueuedRow> insert(Statements transaction, List<OutboxMessage> messages, Optional<ClaimOffer> offer)
            throws SQLException;

    /** Returns the last generations of requests, as they are after any wait of the transaction. */
    List<LedgerEntry> find(Statements transaction, Collection<String> keys) throws SQLException;

    /** Adds ledger rows for entries that were inserted by a program without a ledger. */
    void adopt(Statements transaction, Collection<String> keys) throws SQLException;

    /** Returns the exception to throw for a failed call that enqueues, without the server's error if that shows a payload. */
    RuntimeException enqueueFailure(String what, SQLException error);

    /** Returns which of the entries with these ids the transaction sees. */
    VisibleEntries visible(Statements transaction, List<Long> ids) throws SQLException;

    /**
     * The entries that a transaction sees, of some that were enqueued in it.
     *
     * @param entries their number
     * @param transaction the transaction's identity; empty before its first change, and in databases that give none
     */
    record VisibleEntries(int entries, Optional<String> transaction) {}

    ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease);

    Optional<Duration> nextDue(String destination);

    Set<String> destinations();

    ClaimResult claimOrdered(
            OutboxOwner owner, Collection<OutboxSegmentLease> segments, Collection<Long> ids, Duration lease);

    Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> claims, Duration lease);

    Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements);

    int expire(int limit);

    int removeOld(OutboxHistory part, Duration age, int limit);

    /** Removes old requests from the ledger, up to the limit. */
    int pruneLedger(Duration settledFor, int limit);

    OutboxSegmentShare holdSegments(OutboxOwner owner, Set<Integer> giveUp, Duration lease);

    void releaseSegments(OutboxOwner owner);

    boolean hasOrdered();

    List<OrderedEntry> ordered(String destination, Map<Integer, Long> after, int perSegment);

    List<OrderedEntry> ordered(String destination, String orderingKey, int limit);

    OutboxStats stats();

    OutboxStats exactStats();

    int releaseExpired(OperatorAction act);

    int purge(Duration settledFor, int limit, OperatorAction act);

    int pruneLedger(Duration settledFor, int limit, OperatorAction act);
}
