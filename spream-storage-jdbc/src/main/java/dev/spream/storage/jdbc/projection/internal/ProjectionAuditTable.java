package dev.spream.storage.jdbc.projection.internal;

import dev.spream.projection.AuditedAction;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import java.sql.SQLException;
import java.util.List;

/** The audit table: actions of operators, written in the transaction of the action. */
public final class ProjectionAuditTable {
    private static final String ADD = """
            INSERT INTO @projection_audit (at, projection, actor, action, outcome, reason)
            VALUES (clock_timestamp(), ?, ?, ?, ?, ?)""";

    private static final String LIST = """
            SELECT a.at, a.action, a.outcome, a.actor, a.reason FROM @projection_audit a
            WHERE a.projection = ? OR starts_with(a.projection, ?) ORDER BY a.id DESC LIMIT ?""";

    private ProjectionAuditTable() {}

    public static void add(ProjectionTransaction transaction, String projection, String action, String outcome, Act act)
            throws SQLException {
        transaction.update(
                ADD,
                p -> p.text(projection)
                        .text(Parameters.storable(act.actor()))
                        .text(action)
                        .text(Parameters.storable(outcome))
                        .text(Parameters.storable(act.reason())));
    }

    /**
     * Returns the actions on all versions of a projection, or of the projection that a version belongs to, the latest
     * first.
     */
    public static List<AuditedAction> list(ProjectionDatabase database, String name, int limit) {
        String projection = NamedVersions.projection(name);
        return database.rows(
                "listing the audited actions of projection '%s'".formatted(projection),
                LIST,
                p -> p.text(projection).text(projection + "@").number(limit),
                row -> new AuditedAction(
                        JdbcTimestamps.clock(row, "at"),
                        row.getString("action"),
                        row.getString("outcome"),
                        new Act(row.getString("actor"), row.getString("reason"))));
    }
}
