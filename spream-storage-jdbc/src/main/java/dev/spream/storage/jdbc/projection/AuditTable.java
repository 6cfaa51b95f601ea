package dev.spream.storage.jdbc.projection;

import dev.spream.core.projection.ProjectionOperations.Act;
import java.sql.SQLException;

/** What was changed by hand; written in the transaction of the change. */
final class AuditTable {
    private static final String ADD = """
            INSERT INTO @projection_audit (at, projection, actor, action, outcome, reason)
            VALUES (clock_timestamp(), ?, ?, ?, ?, ?)""";

    private AuditTable() {}

    static void add(ProjectionTransaction transaction, String projection, String action, String outcome, Act act)
            throws SQLException {
        transaction
                .next()
                .update(
                        ADD,
                        p -> p.text(projection)
                                .text(EventColumns.storable(act.actor()))
                                .text(action)
                                .text(EventColumns.storable(outcome))
                                .text(EventColumns.storable(act.reason())))
                .run();
    }
}
