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
import dev.spream.storage.jdbc.outbox.dialect.OutboxSql;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/**
 * An {@link OutboxStore} in PostgreSQL 14, MySQL 8.0.17 or MariaDB 10.6, or a newer one, for any number of workers in
 * any number of processes. Leases are measured by the server's clock.
 *
 * <p>Safe for use by many threads. Each call takes a connection and returns it at its end; in PostgreSQL, while there
 * are watchers, one more connection is held, which listens for notifications. The caller owns the data source and
 * closes it after the store.
 *
 * <p>Correctness: claims and settlements run at READ COMMITTED, lock their rows and evaluate them as locked. Claims,
 * renewals and settlements skip rows that another session has locked; settlements then wait briefly for those. All other
 * statements lock entries in the order of their ids, and ledger rows after their entries.
 */
public final class JdbcOutboxStore implements OutboxStore {
    private final OutboxSql sql;
    private final NotificationHub watching;

    private JdbcOutboxStore(OutboxSql sql) {
        this.sql = sql;
        this.watching = new NotificationHub(sql);
    }

    /**
     * Opens the store of the outbox {@code outbox_orders} in the schema {@code spream}, and creates it if it does not
     * exist.
     */
    public static JdbcOutboxStore create(DataSource dataSource) {
        return builder(dataSource).build();
    }

    public static OutboxBuilder<JdbcOutboxStore> builder(DataSource dataSource) {
        return new OutboxBuilder<>(dataSource, sql -> {
            sql.checkDurability();
            return new JdbcOutboxStore(sql);
        });
    }

    @Override
    public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
        return sql.claim(owner, destination, limit, lease);
    }

    @Override
    public Optional<Duration> nextDue(String destination) {
        return sql.nextDue(destination);
    }

    @Override
    public Set<String> destinations() {
        return sql.destinations();
    }

    @Override
    public Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> held, Duration lease) {
        return sql.renew(owner, held, lease);
    }

    @Override
    public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> ended) {
        return sql.settle(owner, ended);
    }

    @Override
    public int expire(int limit) {
        return sql.expire(limit);
    }

    @Override
    public int removeOld(OutboxHistory part, Duration age, int limit) {
        return sql.removeOld(part, age, limit);
    }

    @Override
    public OutboxSegmentShare holdSegments(OutboxOwner owner, Set<Integer> giveUp, Duration lease) {
        return sql.holdSegments(owner, giveUp, lease);
    }

    @Override
    public void releaseSegments(OutboxOwner owner) {
        sql.releaseSegments(owner);
    }

    @Override
    public boolean hasOrdered() {
        return sql.hasOrdered();
    }

    @Override
    public List<OrderedEntry> ordered(String destination, Map<Integer, Long> after, int perSegment) {
        return sql.ordered(destination, after, perSegment);
    }

    @Override
    public List<OrderedEntry> ordered(String destination, String orderingKey, int limit) {
        return sql.ordered(destination, orderingKey, limit);
    }

    @Override
    public ClaimResult claimOrdered(
            OutboxOwner owner, Collection<OutboxSegmentLease> held, Collection<Long> ids, Duration lease) {
        return sql.claimOrdered(owner, held, ids, lease);
    }

    @Override
    public Watch watch(Watcher watcher) {
        return watching.add(watcher);
    }

    @Override
    public void close() {
        watching.close();
        sql.database().close();
    }
}
