package dev.spream.outbox;

import dev.spream.core.StorageException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The store of an outbox's entries, as its workers use it. All times are the store's own; they are never compared with another
 * clock.
 *
 * <p>An entry is <em>due</em> if it is pending or failed, its time has come, and it has not expired; or if it is being sent and
 * its lease has run out. A claim gives it to one worker alone, raises its token by one and its attempts by one, and says whether
 * an earlier attempt may have reached the receiver: that of a lease that ran out may. Every later write names the claim by its
 * token, and a write with an outdated token changes nothing.
 *
 * <p>An entry whose ledger key is settled with the same digest in the same generation is not claimed: it takes over the ledger's
 * result. With another digest it is aborted as {@link ReasonCode#IDEMPOTENCY_CONFLICT}, and the ledger stays.
 *
 * <p>Safe for use by many threads. Every method is one transaction: all of it happened or nothing. What fails is a {@link
 * StorageException}; then it may have happened, and everything may be repeated.
 */
public interface OutboxStore extends AutoCloseable {

    /**
     * Claims entries without an ordering key that are due, those that are due longest first.
     *
     * @param owner the worker
     * @param limit how many at most, 1 or more
     * @param lease how long they are the worker's, unless renewed
     */
    ClaimResult claim(OutboxOwner owner, int limit, Duration lease);

    /**
     * Makes claims last for another lease, from now on. One that cannot be written now because its row is locked delays the
     * others as little as possible: it stays as it is, and is among those that are lost once less than half of that lease is left
     * of its own. So ask again within a quarter of it or so.
     *
     * @return those that are not the worker's any more
     */
    Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> claims, Duration lease);

    /**
     * Ends claims. What the ledger is to say, and the entry, change together. A settlement that is repeated, since its
     * confirmation was lost, is none that was lost.
     *
     * <p>A success or a failure whose ledger key was settled otherwise in the meantime takes over the ledger's result.
     *
     * @return the claims that the worker no longer held; nothing was changed for them
     */
    Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements);

    /**
     * Gives up entries that have expired before they were claimed: aborts them as {@link ReasonCode#EXPIRED}, and parks
     * those that may have reached the receiver.
     *
     * @param limit how many at most
     * @return how many there were
     */
    int expire(int limit);

    /**
     * Removes some of what is over and that old; never what is not settled. What other workers remove at the same time is
     * left to them. One call does a bounded amount of work, however much is kept, and the next one continues behind it: it may
     * remove less than there is, and nothing, but repeated calls remove everything in the end.
     *
     * @param age since how long at least it has been over
     * @param limit how many at most
     * @return how many were removed
     */
    int removeOld(OutboxHistory part, Duration age, int limit);

    /**
     * Renews the leases of the worker's segments, claims free segments up to its share, and releases segments. Every worker that sends
     * entries with an ordering key calls this well within each lease.
     *
     * @param giveUp segments to release, which others may claim at once
     */
    OutboxSegmentShare holdSegments(OutboxOwner owner, Set<Integer> giveUp, Duration lease);

    /** Gives all segments up. The worker is gone. */
    void releaseSegments(OutboxOwner owner);

    /**
     * Returns whether there are entries with an ordering key that are not settled, due or not, of those that were committed
     * before the call. Workers read segments only then; they ask each poll interval, and when they are woken.
     */
    boolean hasOrdered();

    /**
     * Unsettled entries of segments, from which the holder plans its claims. Claims nothing.
     *
     * @param after the segments, and for each the id behind which to begin; 0 for its beginning
     * @param perSegment how many of each segment at most
     * @return those of a segment in the order of their ids
     */
    List<OrderedEntry> ordered(Map<Integer, Long> after, int perSegment);

    /** The same for one ordering key: its first entries that are not settled. */
    List<OrderedEntry> ordered(String orderingKey, int limit);

    /**
     * Claims entries with an ordering key: of those, the ones that are due, whose segment is the worker's in this epoch, and that
     * have no earlier entry of their key that is not settled. Otherwise like {@link #claim}.
     *
     * @param segments of these entries
     */
    ClaimResult claimOrdered(
            OutboxOwner owner, Collection<OutboxSegmentLease> segments, Collection<Long> ids, Duration lease);

    /**
     * Registers a notification of entries enqueued here or in another process. Notifications may be spurious and may be missed:
     * the caller has to poll as well.
     *
     * @param wake must not wait; called by any thread
     * @return ends it
     */
    Watch watch(Runnable wake);

    /** Ends the telling. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    /** Closes what this opened. Claims stay until their leases run out. Closing again is harmless. */
    @Override
    void close();
}
