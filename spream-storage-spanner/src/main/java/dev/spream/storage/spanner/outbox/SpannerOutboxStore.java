package dev.spream.storage.spanner.outbox;

import dev.spream.core.StorageException;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.Settlement;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * An {@link OutboxStore} in a Spanner database of either dialect. Workers of other processes are not notified of new
 * entries and find them at their next poll.
 *
 * <p>Spanner cannot skip locked rows: a renewal waits for a transaction that changes one of the entries, such as an
 * operator's. Workers that claim at the same time begin with the same entries; the one that finds them taken continues
 * further down the queue, so the order of claims is exact for one worker and approximate for several.
 *
 * <p>A call fails after its time limit, 6 seconds by default. Safe for use by many threads. Closing it ends its
 * watches; it does not close its connection.
 */
public final class SpannerOutboxStore implements OutboxStore {
    private final SpannerOutboxDatabase database;
    private final DueClaims claims;
    private final ClaimEnds settlements;
    private final SegmentRows segments;
    private final OrderedReads ordered;
    private final WaitingReads waiting;
    private final List<Watch> watches = new CopyOnWriteArrayList<>();

    SpannerOutboxStore(SpannerOutboxDatabase database) {
        this.database = database;
        this.claims = new DueClaims(database);
        this.settlements = new ClaimEnds(database);
        this.segments = new SegmentRows(database);
        this.ordered = new OrderedReads(database);
        this.waiting = new WaitingReads(database);
    }

    /**
     * Opens the store of the outbox whose tables {@link SpannerOutboxTables#create} has created.
     *
     * @param table the table of the entries
     * @throws IllegalArgumentException if the name is not a valid name of a table
     * @throws StorageException if tables are missing, or the database cannot be queried
     */
    public static SpannerOutboxStore open(SpannerConnection connection, String table) {
        return open(connection, table, SpannerOutboxDatabase.TIMEOUT);
    }

    /**
     * Opens the store with another time limit.
     *
     * @param callTimeout the time limit of a call, 1 s to 1 min. Should be a fraction of the lease
     */
    public static SpannerOutboxStore open(SpannerConnection connection, String table, Duration callTimeout) {
        return new SpannerOutboxStore(SpannerOutboxDatabase.open(connection, table, callTimeout));
    }

    @Override
    public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
        return claims.claim(owner, destination, limit, lease);
    }

    @Override
    public Optional<Duration> nextDue(String destination) {
        return waiting.nextDue(destination);
    }

    @Override
    public Set<String> destinations() {
        return waiting.destinations();
    }

    @Override
    public Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> held, Duration lease) {
        return settlements.renew(owner, held, lease);
    }

    @Override
    public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> ended) {
        return settlements.settle(owner, ended);
    }

    @Override
    public int expire(int limit) {
        return settlements.expire(limit);
    }

    @Override
    public int removeOld(OutboxHistory part, Duration age, int limit) {
        return new OldRows(database).remove(part, age, limit);
    }

    @Override
    public OutboxSegmentShare holdSegments(OutboxOwner owner, Set<Integer> giveUp, Duration lease) {
        return segments.hold(owner, giveUp, lease);
    }

    @Override
    public void releaseSegments(OutboxOwner owner) {
        segments.release(owner);
    }

    @Override
    public boolean hasOrdered() {
        return ordered.exist();
    }

    @Override
    public List<OrderedEntry> ordered(String destination, Map<Integer, Long> after, int perSegment) {
        return ordered.read(destination, after, perSegment);
    }

    @Override
    public List<OrderedEntry> ordered(String destination, String orderingKey, int limit) {
        return ordered.read(new OrderingKey(destination, orderingKey), limit);
    }

    @Override
    public ClaimResult claimOrdered(
            OutboxOwner owner, Collection<OutboxSegmentLease> held, Collection<Long> ids, Duration lease) {
        return claims.claimOrdered(owner, held, ids, lease);
    }

    @Override
    public Watch watch(Watcher watcher) {
        Watch watch = ProcessWatchers.add(database, watcher);
        watches.add(watch);
        return watch;
    }

    @Override
    public void close() {
        watches.forEach(Watch::close);
    }
}
