package dev.spream.storage.jdbc.outbox.mysql;

import dev.spream.core.StorageException;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OrderedEntry;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxSegmentLease;
import dev.spream.outbox.OutboxSegmentShare;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.Settlement;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.ClaimOffer;
import dev.spream.storage.jdbc.outbox.dialect.EnqueuedRow;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.OutboxSql;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import dev.spream.storage.jdbc.outbox.dialect.RequestPruning;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An outbox in MySQL 8.0.17 or newer, or MariaDB 10.6 or newer. Each call of a worker is one transaction at READ
 * COMMITTED, which locks the rows that no other session has locked, decides, and writes them: entries first, in the
 * order of their ids or of the index that lists what is due, and then their ledger rows. A transaction that the server
 * aborts as a deadlock is repeated.
 */
public final class MySqlOutbox implements OutboxSql {
    private static final Logger log = LoggerFactory.getLogger(MySqlOutbox.class);

    private static final int DEADLOCK = 1213;
    private static final int LOCK_WAIT_TIMEOUT = 1205;
    private static final int CHANGED_SINCE_SNAPSHOT = 1020;

    private final OutboxDatabase database;
    private final RequestPruning pruning;

    private MySqlOutbox(OutboxDatabase database) {
        this.database = database;
        this.pruning = new MySqlPruning(database);
    }

    /**
     * Opens an outbox.
     *
     * @param migrate whether to create the tables where needed; otherwise they are only checked
     * @throws StorageException if the database cannot be reached, or does not have the tables
     */
    public static MySqlOutbox open(
            DataSource dataSource, OutboxTables tables, Duration statementTimeout, boolean migrate) {
        new MySqlTables(dataSource, tables).ensure(migrate);
        return new MySqlOutbox(new MySqlOutboxDatabase(dataSource, tables, statementTimeout));
    }

    @Override
    public OutboxDatabase database() {
        return database;
    }

    @Override
    public String server() {
        return "CONCAT_WS('/', @@GLOBAL.hostname, @@GLOBAL.port, @@GLOBAL.datadir, '%s')"
                .formatted(database.tables().toString().replace("\\", "").replace("'", ""));
    }

    @Override
    public boolean notifies() {
        return false;
    }

    @Override
    public void checkDurability() {
        int flush = database.row(
                "reading innodb_flush_log_at_trx_commit for " + database.tables(),
                "SELECT @@GLOBAL.innodb_flush_log_at_trx_commit AS setting",
                p -> {},
                row -> row.getInt("setting"));
        if (flush != 1) {
            log.warn(
                    "[{}] innodb_flush_log_at_trx_commit is {}: a crash of the server loses the last commits, so accepted requests"
                            + " may be lost, and requests whose results were already returned may be sent again; set it to 1",
                    database.tables(),
                    flush);
        }
    }

    @Override
    public List<EnqueuedRow> insert(Statements transaction, List<OutboxMessage> messages, Optional<ClaimOffer> offer)
            throws SQLException {
        return new MySqlEnqueue(transaction).insert(messages, offer, server());
    }

    @Override
    public List<LedgerEntry> find(Statements transaction, Collection<String> keys) throws SQLException {
        return new MySqlEnqueue(transaction).find(keys);
    }

    @Override
    public void adopt(Statements transaction, Collection<String> keys) throws SQLException {
        new MySqlEnqueue(transaction).adopt(keys);
    }

    @Override
    public RuntimeException enqueueFailure(String what, SQLException error) {
        if (SqlErrors.isTooLarge(error)) {
            return new IllegalArgumentException(
                    "%s failed: the payloads are larger than max_allowed_packet of the server; roll the transaction back, and raise it or enqueue fewer messages at once"
                            .formatted(what));
        }
        return switch (error.getErrorCode()) {
            case DEADLOCK, LOCK_WAIT_TIMEOUT, CHANGED_SINCE_SNAPSHOT ->
                new StorageException(
                        "%s failed: %s (error %d); roll the transaction back and repeat it as a whole, best at READ COMMITTED"
                                .formatted(what, SqlErrors.firstLine(error), error.getErrorCode()),
                        true,
                        error);
            default -> SqlErrors.storageException(what, error);
        };
    }

    @Override
    public VisibleEntries visible(Statements transaction, List<Long> ids) throws SQLException {
        return transaction.row(
                Placeholders.in("SELECT COUNT(id) AS entries FROM @outbox WHERE id IN (*)", ids),
                p -> Placeholders.numbers(p, ids),
                row -> new VisibleEntries(row.getInt("entries"), Optional.empty()));
    }

    @Override
    public ClaimResult claim(OutboxOwner owner, String destination, int limit, Duration lease) {
        return new MySqlClaims(database).claim(owner, destination, limit, lease);
    }

    @Override
    public Optional<Duration> nextDue(String destination) {
        return new MySqlWaiting(database).nextDue(destination);
    }

    @Override
    public Set<String> destinations() {
        return new MySqlWaiting(database).destinations();
    }

    @Override
    public ClaimResult claimOrdered(
            OutboxOwner owner, Collection<OutboxSegmentLease> segments, Collection<Long> ids, Duration lease) {
        return new MySqlClaims(database).claimOrdered(owner, segments, ids, lease);
    }

    @Override
    public Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> claims, Duration lease) {
        return new MySqlSettlements(database).renew(owner, claims, lease);
    }

    @Override
    public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
        return new MySqlSettlements(database).settle(owner, settlements);
    }

    @Override
    public int expire(int limit) {
        return new MySqlExpiry(database).expire(limit);
    }

    @Override
    public int removeOld(OutboxHistory part, Duration age, int limit) {
        return history().remove(part, JdbcTimestamps.micros(age), limit);
    }

    private MySqlHistory history() {
        return new MySqlHistory(database, pruning);
    }

    @Override
    public int pruneLedger(Duration settledFor, int limit) {
        return pruning.prune(JdbcTimestamps.micros(settledFor), limit);
    }

    @Override
    public OutboxSegmentShare holdSegments(OutboxOwner owner, Set<Integer> giveUp, Duration lease) {
        return new MySqlSegments(database).hold(owner, giveUp, lease);
    }

    @Override
    public void releaseSegments(OutboxOwner owner) {
        new MySqlSegments(database).leave(owner);
    }

    @Override
    public boolean hasOrdered() {
        return new MySqlOrdered(database).any();
    }

    @Override
    public List<OrderedEntry> ordered(String destination, Map<Integer, Long> after, int perSegment) {
        return new MySqlOrdered(database).ofSegments(destination, after, perSegment);
    }

    @Override
    public List<OrderedEntry> ordered(String destination, String orderingKey, int limit) {
        return new MySqlOrdered(database).ofKey(destination, orderingKey, limit);
    }

    @Override
    public OutboxStats stats() {
        return new MySqlStats(database).read(MySqlStats.BOUND);
    }

    @Override
    public OutboxStats exactStats() {
        return new MySqlStats(database).read(MySqlStats.LARGE);
    }

    @Override
    public int releaseExpired(OperatorAction act) {
        return history().releaseExpired(act);
    }

    @Override
    public int purge(Duration settledFor, int limit, OperatorAction act) {
        return history().purge(JdbcTimestamps.micros(settledFor), limit, act);
    }

    @Override
    public int pruneLedger(Duration settledFor, int limit, OperatorAction act) {
        return pruning.pruneAndRecord(JdbcTimestamps.micros(settledFor), limit, act);
    }
}
