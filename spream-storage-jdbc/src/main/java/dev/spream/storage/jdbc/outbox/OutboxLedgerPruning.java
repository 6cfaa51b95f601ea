package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.sql.SQLException;
import java.util.List;

/**
 * Removes old requests from the ledger: reads first generations in the order in which they were begun, a bounded number
 * at a time, locks those that are old, and then checks them again. A transaction that begins a new generation locks the
 * first one too.
 *
 * <p>Each pass continues after the previous one, so that requests that are kept, because the outbox has their entries
 * or they were settled late, are not read each time. Safe for use by many threads; concurrent passes may read the same
 * requests.
 */
final class OutboxLedgerPruning {
    /** The number of requests that one statement reads. */
    static final int WALK = 1_000;

    /**
     * Joins that find the reasons to keep the requests {@code w}; each is looked up by its key, regardless of the
     * server's statistics.
     */
    private static final String REASONS_TO_KEEP = """
            LEFT JOIN LATERAL (SELECT 1 AS here FROM @outbox o WHERE o.idempotency_key = w.idempotency_key LIMIT 1)
                AS kept ON true
            LEFT JOIN LATERAL (SELECT 1 AS here FROM @ledger later WHERE later.idempotency_key = w.idempotency_key
                    AND (later.settled_at > (SELECT clock_timestamp()) - ? * interval '1 microsecond'
                        OR later.status = 'in_progress')
                LIMIT 1) AS again ON true""";

    /**
     * Reads the next requests. A request is settled after it was begun, so the index on the time of its beginning
     * bounds the scan. The condition on the generation is that of the partial index; for an equality, the server would
     * estimate few rows and sort all of them.
     */
    static final String LOOK = """
            WITH walked AS MATERIALIZED (
                SELECT l.idempotency_key, l.created_at, l.settled_at FROM @ledger l
                WHERE l.generation < 2 AND l.created_at <= (SELECT clock_timestamp()) - ? * interval '1 microsecond'
                    AND (l.created_at, l.idempotency_key) > (?::timestamptz, ?)
                ORDER BY l.created_at, l.idempotency_key LIMIT ?
            )
            SELECT w.idempotency_key, w.created_at::text AS begun,
                coalesce(w.settled_at <= (SELECT clock_timestamp()) - ? * interval '1 microsecond', false)
                    AND kept.here IS NULL AND again.here IS NULL AS is_old
            FROM walked w
            %s
            ORDER BY w.created_at, w.idempotency_key""".formatted(REASONS_TO_KEEP);

    static final String LOCK = """
            SELECT l.idempotency_key FROM @ledger l
            WHERE l.idempotency_key = ANY (?) AND l.generation = 1
            ORDER BY l.idempotency_key FOR UPDATE SKIP LOCKED""";

    static final String DELETE = """
            WITH old AS MATERIALIZED (
                SELECT w.idempotency_key FROM unnest(?) AS w (idempotency_key)
                %s
                WHERE kept.here IS NULL AND again.here IS NULL
            ), gone AS (
                DELETE FROM @ledger l USING old WHERE l.idempotency_key = old.idempotency_key RETURNING l.idempotency_key
            )
            SELECT count(DISTINCT idempotency_key) AS forgotten FROM gone""".formatted(REASONS_TO_KEEP);

    private static final Position BEGINNING = new Position("-infinity", "");

    private final OutboxDatabase database;
    private volatile Position position = BEGINNING;

    /** The request after which to continue: the time at which it was begun, as formatted by the server, and its key. */
    private record Position(String begun, String key) {}

    private record Looked(Position at, boolean old) {}

    OutboxLedgerPruning(OutboxDatabase database) {
        this.database = database;
    }

    /** Reads at most as many requests as the limit, and removes those that are old. */
    int step(long settledForMicros, int limit) {
        return database.inTransaction(
                what(), transaction -> step(transaction, settledForMicros, limit, Math.min(limit, WALK)));
    }

    int prune(long settledForMicros, int limit) {
        return database.inTransaction(what(), transaction -> prune(transaction, settledForMicros, limit));
    }

    /** Removes up to the limit of old requests, within a larger transaction. */
    int prune(Statements transaction, long settledForMicros, int limit) throws SQLException {
        boolean whole = position.equals(BEGINNING);
        int forgotten = 0;
        while (forgotten < limit) {
            forgotten += step(transaction, settledForMicros, limit - forgotten, WALK);
            if (position.equals(BEGINNING)) {
                if (whole) {
                    break;
                }
                whole = true;
            }
        }
        return forgotten;
    }

    String what() {
        return "pruning the ledger of " + database.tables();
    }

    /**
     * Reads and removes one step of requests and moves the position past them; after the last request, back to the
     * beginning.
     */
    private int step(Statements transaction, long settledForMicros, int limit, int walk) throws SQLException {
        Position after = position;
        List<Looked> looked = transaction.rows(
                LOOK,
                p -> p.number(settledForMicros)
                        .text(after.begun())
                        .text(after.key())
                        .number(walk)
                        .number(settledForMicros)
                        .number(settledForMicros),
                row -> new Looked(
                        new Position(row.getString("begun"), row.getString("idempotency_key")),
                        row.getBoolean("is_old")));
        List<Position> old =
                looked.stream().filter(Looked::old).map(Looked::at).limit(limit).toList();
        int forgotten = old.isEmpty() ? 0 : forget(transaction, old, settledForMicros);
        if (old.size() == limit) {
            position = old.getLast();
        } else {
            position = looked.size() < walk ? BEGINNING : looked.getLast().at();
        }
        return forgotten;
    }

    private static int forget(Statements transaction, List<Position> old, long settledForMicros) throws SQLException {
        List<String> keys =
                transaction.rows(LOCK, p -> p.texts(old, Position::key), row -> row.getString("idempotency_key"));
        return transaction.row(DELETE, p -> p.texts(keys).number(settledForMicros), row -> row.getInt("forgotten"));
    }
}
