package dev.spream.storage.jdbc.outbox.dialect;

import dev.spream.outbox.OperatorAction;
import dev.spream.storage.jdbc.internal.Statements;
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
public abstract class RequestPruning {
    /** The number of requests that one statement reads. */
    public static final int WALK = 1_000;

    private final OutboxDatabase database;
    private final Position beginning;
    private volatile Position position;

    /** The request after which to continue: the time at which it was begun, as formatted by the server, and its key. */
    public record Position(String begun, String key) {}

    /**
     * A request that was read.
     *
     * @param old whether it can be removed
     */
    public record Looked(Position at, boolean old) {}

    /** @param first a time before that of any request, as formatted by the server */
    protected RequestPruning(OutboxDatabase database, String first) {
        this.database = database;
        this.beginning = new Position(first, "");
        this.position = beginning;
    }

    /** Reads the next requests that were begun before the time. */
    protected abstract List<Looked> look(Statements transaction, Position after, long settledForMicros, int limit)
            throws SQLException;

    /** Locks requests, checks them again, and removes all generations of those that are old; returns their number. */
    protected abstract int forget(Statements transaction, List<String> keys, long settledForMicros) throws SQLException;

    /** Reads at most as many requests as the limit, and removes those that are old. */
    public final int step(long settledForMicros, int limit) {
        return database.inTransaction(
                what(), transaction -> step(transaction, settledForMicros, limit, Math.min(limit, WALK)));
    }

    public final int prune(long settledForMicros, int limit) {
        return database.inTransaction(what(), transaction -> prune(transaction, settledForMicros, limit));
    }

    /** Removes up to the limit of old requests, within a larger transaction. */
    private int prune(Statements transaction, long settledForMicros, int limit) throws SQLException {
        boolean whole = position.equals(beginning);
        int forgotten = 0;
        while (forgotten < limit) {
            forgotten += step(transaction, settledForMicros, limit - forgotten, WALK);
            if (position.equals(beginning)) {
                if (whole) {
                    break;
                }
                whole = true;
            }
        }
        return forgotten;
    }

    /** Does the same for an operator, and records it in the audit. */
    public final int pruneAndRecord(long settledForMicros, int limit, OperatorAction act) {
        return database.inTransaction(what(), transaction -> {
            int forgotten = prune(transaction, settledForMicros, limit);
            if (forgotten > 0) {
                OutboxAuditTable.add(transaction, "prune-ledger", forgotten + " forgotten", act);
            }
            return forgotten;
        });
    }

    private String what() {
        return "pruning the ledger of " + database.tables();
    }

    /**
     * Reads and removes one step of requests and moves the position past them; after the last request, back to the
     * beginning.
     */
    private int step(Statements transaction, long settledForMicros, int limit, int walk) throws SQLException {
        List<Looked> looked = look(transaction, position, settledForMicros, walk);
        List<Position> old =
                looked.stream().filter(Looked::old).map(Looked::at).limit(limit).toList();
        int forgotten = old.isEmpty()
                ? 0
                : forget(transaction, old.stream().map(Position::key).toList(), settledForMicros);
        if (old.size() == limit) {
            position = old.getLast();
        } else {
            position = looked.size() < walk ? beginning : looked.getLast().at();
        }
        return forgotten;
    }
}
