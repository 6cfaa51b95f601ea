package dev.spream.outbox;

import dev.spream.core.StorageException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The storage port of outbox workers. All times are those of the store's own clock; they are never compared with
 * another clock.
 *
 * <p>An entry is <em>due</em> if it is pending or failed, its time has come, and it has not expired; or if it is being
 * sent and its lease has expired. A claim gives an entry to one worker, increments its token and its attempts, and
 * reports whether an earlier attempt may have reached the receiver; an attempt whose lease expired counts as one that
 * may have. Every later write names the claim by its token, and a write with an outdated token changes nothing.
 *
 * <p>An entry whose ledger key is settled with the same digest in the same generation is not claimed: it takes over the
 * ledger's result. With another digest it is aborted as {@link ReasonCode#IDEMPOTENCY_CONFLICT}, and the ledger is
 * unchanged.
 *
 * <p>Safe for use by many threads. Every method is one transaction. Failures are {@link StorageException}s; after one
 * the transaction may or may not have been committed, and every call may be repeated.
 */
public interface OutboxStore extends AutoCloseable {

    /**
     * Claims due entries of a destination without an ordering key, longest due first.
     *
     * @param owner the worker
     * @param destination the destination; empty for entries without one
     * @param limit the maximum number of entries, 1 or more
     * @param lease the duration of the claims, unless renewed
     */
    ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease);

    /**
     * Returns the time until the next entry of a destination without an ordering key is due that is not due yet; empty
     * if there is none.
     */
    Optional<Duration> nextDue(String destination);

    /** Returns the destinations of unsettled entries; empty stands for that of entries without one. */
    Set<String> destinations();

    /**
     * Renews claims for another lease from now. A claim whose row is locked is skipped, so that it delays the others as
     * little as possible; it counts as lost once less than half of {@code lease} remains of its current lease. Callers
     * therefore renew again within about a quarter of a lease.
     *
     * @return the claims that the worker no longer holds
     */
    Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> claims, Duration lease);

    /**
     * Ends claims. The ledger and the entry change together. Repeating a settlement is harmless: if it was committed,
     * its claim is not reported as lost.
     *
     * <p>If the ledger key of an entry was settled in the meantime, any settlement except a release takes over the
     * ledger's result.
     *
     * @return the claims that the worker no longer held; nothing was changed for them
     */
    Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements);

    /**
     * Ends entries that expired before they were claimed: aborts them as {@link ReasonCode#EXPIRED}, and parks those
     * that may have reached the receiver.
     *
     * @param limit the maximum number of entries
     * @return the number of entries that had expired
     */
    int expire(int limit);

    /**
     * Removes old rows of a part of the history; unsettled entries are never removed. Rows that other workers are
     * removing are skipped. The work of a call is bounded, however many rows are stored, and the next call continues
     * after it: a single call may remove fewer rows than are old enough, even none, but repeated calls remove all of
     * them.
     *
     * @param age the minimum age of removed rows
     * @param limit the maximum number of rows
     * @return the number of removed rows
     */
    int removeOld(OutboxHistory part, Duration age, int limit);

    /**
     * Renews the leases of the worker's segments, releases segments, and claims free ones up to the worker's share.
     * Every worker that sends entries with an ordering key calls this well within each lease.
     *
     * @param giveUp segments to release, which other workers may claim immediately
     */
    OutboxSegmentShare holdSegments(OutboxOwner owner, Set<Integer> giveUp, Duration lease);

    /** Releases all segments of the worker and removes its registration. */
    void releaseSegments(OutboxOwner owner);

    /**
     * Returns whether there are unsettled entries with an ordering key, due or not, among those committed before the
     * call. Workers read segments only if there are; they call this once a poll interval and on each notification.
     */
    boolean hasOrdered();

    /**
     * Returns unsettled entries of segments and a destination, from which the holder plans its claims. Claims nothing.
     *
     * @param destination the destination; empty for entries without one
     * @param after the id after which to begin, by segment; 0 for the first entry
     * @param perSegment the maximum number of entries of each segment
     * @return the entries, in the order of their ids within each segment
     */
    List<OrderedEntry> ordered(String destination, Map<Integer, Long> after, int perSegment);

    /** Returns the first unsettled entries of one destination and ordering key, in the order of their ids. */
    List<OrderedEntry> ordered(String destination, String orderingKey, int limit);

    /**
     * Claims those of the given entries that are due, whose segment is held by the worker in the given epoch, and that
     * are the first unsettled entry of their destination and ordering key. Otherwise like {@link #claim}.
     *
     * @param segments the leases of the segments of these entries
     */
    ClaimResult claimOrdered(
            OutboxOwner owner, Collection<OutboxSegmentLease> segments, Collection<Long> ids, Duration lease);

    /**
     * Registers for notifications of entries enqueued here or in another process. Notifications may be spurious and may
     * be missed: the caller has to poll as well.
     *
     * @return the registration, which ends when it is closed
     */
    Watch watch(Watcher watcher);

    /** A worker, as the store and the outboxes of its process see it. Called by any thread. */
    @FunctionalInterface
    interface Watcher {
        /** Called for each notification; must not block. */
        void wake();

        /**
         * Reserves room for entries that an outbox of this process is about to enqueue. Must not block.
         *
         * @param destination the destination of the entries; empty for entries without one
         * @param limit the maximum number of entries, 1 or more
         * @return empty if there is no room now
         */
        default Optional<ClaimRoom> reserve(String destination, int limit) {
            return Optional.empty();
        }
    }

    /** A registration for notifications. Closing it ends the notifications. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Closes the resources that this store opened. Claims last until their leases expire. Closing again has no effect.
     */
    @Override
    void close();
}
