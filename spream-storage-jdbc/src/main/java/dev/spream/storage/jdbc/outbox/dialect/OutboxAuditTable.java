package dev.spream.storage.jdbc.outbox.dialect;

import dev.spream.outbox.AuditEntry;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OutboxRow;
import dev.spream.outbox.OutboxStatus;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.SQLException;
import java.util.List;

/** The audit of manual changes, whose rows are written in the transaction of the change. */
public final class OutboxAuditTable {
    private static final String ADD = """
            INSERT INTO @audit (actor, action, entry_id, idempotency_key, outcome, reason) VALUES (?, ?, ?, ?, ?, ?)""";

    private static final String READ = """
            SELECT a.at, a.actor, a.action, a.entry_id, a.idempotency_key, a.outcome, a.reason
            FROM @audit a WHERE a.entry_id = ? ORDER BY a.id""";

    private static final long NO_ENTRY = 0;

    private OutboxAuditTable() {}

    /**
     * Records what an operator did to an entry.
     *
     * @param note appended to the outcome; may be empty
     */
    public static void add(
            Statements transaction,
            String action,
            OutboxStatus before,
            OutboxRow after,
            String note,
            OperatorAction act)
            throws SQLException {
        String outcome = "%s -> %s, generation %d%s"
                .formatted(before.text(), after.status().text(), after.generation(), note);
        add(transaction, action, after.id(), after.idempotencyKey(), outcome, act);
    }

    public static void add(Statements transaction, String action, String outcome, OperatorAction act)
            throws SQLException {
        add(transaction, action, NO_ENTRY, "", outcome, act);
    }

    public static void add(
            Statements transaction, String action, long entry, String key, String outcome, OperatorAction act)
            throws SQLException {
        transaction.update(
                ADD,
                p -> p.text(Parameters.storable(act.actor()))
                        .text(action)
                        .number(entry)
                        .text(key)
                        .text(outcome)
                        .text(Parameters.storable(act.reason())));
    }

    /** Returns the audit rows of an entry, oldest first. */
    public static List<AuditEntry> of(OutboxDatabase database, long id) {
        return database.rows(
                "reading the audit of " + database.tables(),
                READ,
                p -> p.number(id),
                row -> new AuditEntry(
                        JdbcTimestamps.clock(row, "at"),
                        row.getString("actor"),
                        row.getString("action"),
                        row.getLong("entry_id"),
                        row.getString("idempotency_key"),
                        row.getString("outcome"),
                        row.getString("reason")));
    }
}
