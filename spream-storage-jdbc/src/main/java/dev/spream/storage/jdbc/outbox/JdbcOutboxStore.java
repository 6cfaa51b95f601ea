package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.Settlement;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/**
 * An {@link OutboxStore} in PostgreSQL 14 or newer, for any number of workers in any number of processes. Leases are
 * measured by the server's clock.
 *
 * <p>Safe for use by many threads. Each call takes a connection and returns it at its end; while there are watchers,
 * one more connection is held, which listens for notifications. The caller owns the data source and closes it after the
 * store.
 *
 * <p>Correctness: each claim and each settlement is one statement at READ COMMITTED, which locks its rows and evaluates
 * them as locked. Claims, renewals and settlements skip rows that another session has locked; settlements then wait
 * briefly for those. All other statements lock entries in the order of their ids, and ledger rows after their entries.
 * No lock is held between two round trips, except on segments, on which the order of entries does not depend.
 */
public final class JdbcOutboxStore implements OutboxStore {
    private final OutboxDatabase database;
    private final HistoryRemoval history;
    private final NotificationHub watching;

    private JdbcOutboxStore(OutboxDatabase database) {
        this.database = database;
        this.history = new HistoryRemoval(database, new OutboxLedgerPruning(database));
        this.watching = new NotificationHub(database);
    }

    /**
     * Opens the store of the outbox {@code outbox_orders} in the schema {@code spream}, and creates it if it does not
     * exist.
     */
    public static JdbcOutboxStore create(DataSource dataSource) {
        return builder(dataSource).build();
    }

    public static OutboxBuilder<JdbcOutboxStore> builder(DataSource dataSource) {
        return new OutboxBuilder<>(dataSource, database -> {
            CommitDurability.check(database);
            return new JdbcOutboxStore(database);
        });
    }

    @Override
    public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
        return new EntryClaims(database).claim(owner, destination, limit, lease);
    }

    @Override
    public Optional<Duration> nextDue(String destination) {
        return new WaitingEntries(database).nextDue(destination);
    }

    @Override
    public Set<String> destinations() {
        return new WaitingEntries(database).destinations();
    }

    @Override
    public Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> held, Duration lease) {
        return new EntrySettlements(database).renew(owner, held, lease);
    }

    @Override
    public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> ended) {
        return new EntrySettlements(database).settle(owner, ended);
    }

    @Override
    public int expire(int limit) {
        return new EntryExpiry(database).expire(limit);
    }

    @Override
    public int removeOld(OutboxHistory part, Duration age, int limit) {
        return history.remove(part, JdbcTimestamps.micros(age), limit);
    }

    @Override
    public OutboxSegmentShare holdSegments(OutboxOwner owner, Set<Integer> giveUp, Duration lease) {
        return new WorkerSegments(database).hold(owner, giveUp, lease);
    }

    @Override
    public void releaseSegments(OutboxOwner owner) {
        new WorkerSegments(database).leave(owner);
    }

    @Override
    public boolean hasOrdered() {
        return new OrderedEntries(database).any();
    }

    @Override
    public List<OrderedEntry> ordered(String destination, Map<Integer, Long> after, int perSegment) {
        return new OrderedEntries(database).ofSegments(destination, after, perSegment);
    }

    @Override
    public List<OrderedEntry> ordered(String destination, String orderingKey, int limit) {
        return new OrderedEntries(database).ofKey(destination, orderingKey, limit);
    }

    @Override
    public ClaimResult claimOrdered(
            OutboxOwner owner, Collection<OutboxSegmentLease> held, Collection<Long> ids, Duration lease) {
        return new EntryClaims(database).claimOrdered(owner, held, ids, lease);
    }

    @Override
    public Watch watch(Watcher watcher) {
        return watching.add(watcher);
    }

    @Override
    public void close() {
        watching.close();
        database.close();
    }
}
