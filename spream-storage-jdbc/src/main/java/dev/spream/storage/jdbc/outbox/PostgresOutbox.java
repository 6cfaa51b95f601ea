package dev.spream.storage.jdbc.outbox;

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
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An outbox in PostgreSQL 14 or newer. Each claim and each settlement is one statement at READ COMMITTED, which locks
 * its rows and evaluates them as locked. No lock is held between two round trips, except on segments, on which the order
 * of entries does not depend.
 */
final class PostgresOutbox implements OutboxSql {
    /** An expression that identifies the server process, the database and the table. */
    static final String SERVER =
            "concat_ws('/', extract(epoch FROM pg_postmaster_start_time()), current_database(), '@outbox'::regclass::oid)";

    private static final String VISIBLE = """
            SELECT count(*) AS entries, pg_current_xact_id_if_assigned()::text AS transaction
            FROM @outbox WHERE id = ANY (?)""";

    private final OutboxDatabase database;
    private final OutboxLedgerPruning pruning;

    PostgresOutbox(OutboxDatabase database) {
        this.database = database;
        this.pruning = new OutboxLedgerPruning(database);
    }

    @Override
    public OutboxDatabase database() {
        return database;
    }

    @Override
    public String server() {
        return SERVER;
    }

    @Override
    public boolean notifies() {
        return true;
    }

    @Override
    public void checkDurability() {
        CommitDurability.check(database);
    }

    @Override
    public List<EnqueuedRow> insert(Statements transaction, List<OutboxMessage> messages, Optional<ClaimOffer> offer)
            throws SQLException {
        return new EnqueueStatement(transaction, offer).insert(messages);
    }

    @Override
    public List<LedgerEntry> find(Statements transaction, Collection<String> keys) throws SQLException {
        return EnqueueStatement.find(transaction, keys);
    }

    @Override
    public void adopt(Statements transaction, Collection<String> keys) throws SQLException {
        EnqueueStatement.adopt(transaction, keys);
    }

    /** @see <a href="https://www.postgresql.org/docs/current/datatype-json.html">PostgreSQL: JSON types</a> */
    @Override
    public RuntimeException enqueueFailure(String what, SQLException error) {
        String state = String.valueOf(error.getSQLState());
        String reason =
                switch (state) {
                    case "22P05" -> "a payload has characters that PostgreSQL cannot hold in JSON, such as \\u0000";
                    case "54000", "54001" -> "a payload is deeper or larger than what PostgreSQL holds as JSON";
                    default -> state.startsWith("22") ? "a payload is no JSON text that PostgreSQL can hold" : "";
                };
        return reason.isEmpty()
                ? SqlErrors.storageException(what, error)
                : new IllegalArgumentException(
                        "%s failed: %s (SQLSTATE %s); roll the transaction back".formatted(what, reason, state));
    }

    @Override
    public VisibleEntries visible(Statements transaction, List<Long> ids) throws SQLException {
        return transaction.row(
                VISIBLE,
                p -> p.numbers(ids, Long::longValue),
                row -> new VisibleEntries(row.getInt("entries"), Optional.ofNullable(row.getString("transaction"))));
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
    public ClaimResult claimOrdered(
            OutboxOwner owner, Collection<OutboxSegmentLease> segments, Collection<Long> ids, Duration lease) {
        return new EntryClaims(database).claimOrdered(owner, segments, ids, lease);
    }

    @Override
    public Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> claims, Duration lease) {
        return new EntrySettlements(database).renew(owner, claims, lease);
    }

    @Override
    public Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
        return new EntrySettlements(database).settle(owner, settlements);
    }

    @Override
    public int expire(int limit) {
        return new EntryExpiry(database).expire(limit);
    }

    @Override
    public int removeOld(OutboxHistory part, Duration age, int limit) {
        return new HistoryRemoval(database, pruning).remove(part, JdbcTimestamps.micros(age), limit);
    }

    @Override
    public int pruneLedger(Duration settledFor, int limit) {
        return pruning.prune(JdbcTimestamps.micros(settledFor), limit);
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
    public OutboxStats stats() {
        return new OperationsStats(database).sample(OperationsStats.BOUND);
    }

    @Override
    public OutboxStats exactStats() {
        return new OperationsStats(database).read();
    }

    @Override
    public int releaseExpired(OperatorAction act) {
        return new OutboxCleanup(database).releaseExpired(act);
    }

    @Override
    public int purge(Duration settledFor, int limit, OperatorAction act) {
        return new OutboxCleanup(database).purge(JdbcTimestamps.micros(settledFor), limit, act);
    }

    @Override
    public int pruneLedger(Duration settledFor, int limit, OperatorAction act) {
        return pruning.pruneAndRecord(JdbcTimestamps.micros(settledFor), limit, act);
    }
}
