package dev.spream.storage.jdbc.outbox.mysql;

import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.RequestPruning;
import java.sql.SQLException;
import java.util.List;

/** Removes old requests from the ledger in MySQL and MariaDB. */
final class MySqlPruning extends RequestPruning {
    /** The condition that no reason to keep the request {@code l} exists, with the time as its parameter. */
    private static final String UNNEEDED = """
            NOT EXISTS (SELECT 1 FROM @outbox o WHERE o.idempotency_key = l.idempotency_key)
            AND NOT EXISTS (SELECT 1 FROM @ledger later WHERE later.idempotency_key = l.idempotency_key
                AND (later.settled_at > @now - INTERVAL ? MICROSECOND OR later.status = 'in_progress'))""";

    /** Reads the next requests. A request is settled after it was begun, so the time of its beginning bounds the scan. */
    static final String LOOK = """
            SELECT l.idempotency_key, l.created_at AS begun,
                COALESCE(l.settled_at <= @now - INTERVAL ? MICROSECOND, FALSE) AND %s AS is_old
            FROM @ledger l FORCE INDEX (begun)
            WHERE l.generation = 1 AND l.created_at <= @now - INTERVAL ? MICROSECOND
                AND l.created_at >= CAST(? AS DATETIME(6))
                AND (l.created_at > CAST(? AS DATETIME(6)) OR l.idempotency_key > ?)
            ORDER BY l.created_at, l.idempotency_key LIMIT ?""".formatted(UNNEEDED);

    private static final String LOCK = """
            SELECT idempotency_key FROM @ledger FORCE INDEX (PRIMARY)
            WHERE idempotency_key IN (*) AND generation = 1 ORDER BY idempotency_key FOR UPDATE SKIP LOCKED""";

    private static final String STILL_OLD = """
            SELECT l.idempotency_key FROM @ledger l WHERE l.idempotency_key IN (*) AND l.generation = 1 AND %s""".formatted(UNNEEDED);

    private static final String DELETE = "DELETE FROM @ledger WHERE idempotency_key IN (*)";

    MySqlPruning(OutboxDatabase database) {
        super(database, "1000-01-01 00:00:00.000000");
    }

    @Override
    protected List<Looked> look(Statements transaction, Position after, long settledForMicros, int limit)
            throws SQLException {
        return transaction.rows(
                LOOK,
                p -> p.number(settledForMicros)
                        .number(settledForMicros)
                        .number(settledForMicros)
                        .text(after.begun())
                        .text(after.begun())
                        .text(after.key())
                        .number(limit),
                row -> new Looked(
                        new Position(row.getString("begun"), row.getString("idempotency_key")),
                        row.getBoolean("is_old")));
    }

    @Override
    protected int forget(Statements transaction, List<String> keys, long settledForMicros) throws SQLException {
        List<String> locked = keys(transaction, LOCK, keys, p -> {});
        List<String> old =
                locked.isEmpty() ? locked : keys(transaction, STILL_OLD, locked, p -> p.number(settledForMicros));
        if (!old.isEmpty()) {
            transaction.update(Placeholders.in(DELETE, old), p -> Placeholders.texts(p, old));
        }
        return old.size();
    }

    private static List<String> keys(Statements transaction, String sql, List<String> keys, Database.Binder more)
            throws SQLException {
        return transaction.rows(
                Placeholders.in(sql, keys),
                p -> more.bind(Placeholders.texts(p, keys)),
                row -> row.getString("idempotency_key"));
    }
}
