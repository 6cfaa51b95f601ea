package dev.spream.storage.jdbc.projection;

import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.projection.internal.Fences;
import dev.spream.storage.jdbc.projection.internal.NamedVersions;
import dev.spream.storage.jdbc.projection.internal.ProjectionAuditTable;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Pauses and fails projections in all processes, and resumes them. */
record StatusChanges(ProjectionDatabase database) {
    private static final String FAIL = """
            UPDATE @projection_states SET status = 'FAILED', epoch = epoch + 1, last_error = ?,
                last_error_at = clock_timestamp(), updated_at = clock_timestamp()
            WHERE projection_name = ? AND status IN ('RUNNING', 'REBUILDING') AND epoch = ?
            RETURNING true""";

    private static final String PAUSE = """
            UPDATE @projection_states p SET status = 'PAUSED', epoch = p.epoch + 1, updated_at = clock_timestamp()
            FROM (SELECT projection_name, status FROM @projection_states WHERE projection_name = ? FOR NO KEY UPDATE) AS old
            WHERE p.projection_name = old.projection_name AND old.status IN ('RUNNING', 'REBUILDING')
            RETURNING old.status AS before, p.status AS after""";

    private static final String RESUME = """
            UPDATE @projection_states p SET status = CASE v.role WHEN 'LIVE' THEN 'RUNNING' ELSE 'REBUILDING' END,
                epoch = p.epoch + 1, updated_at = clock_timestamp()
            FROM (SELECT projection_name, status FROM @projection_states WHERE projection_name = ? FOR NO KEY UPDATE) AS old
            JOIN @projection_versions v ON v.state = old.projection_name
            WHERE p.projection_name = old.projection_name AND old.status IN ('PAUSED', 'FAILED')
            RETURNING old.status AS before, p.status AS after""";

    boolean fail(Fence fence, long epoch, String error) {
        String projection = fence.projection();
        return database.inTransaction("marking projection '%s' as failed".formatted(projection), transaction -> {
            StatementBatch first = transaction.first();
            List<Boolean> held = Fences.ask(first, database.schema(), fence);
            first.run();
            if (held.isEmpty()) {
                return false;
            }
            List<Boolean> failed = transaction.rows(
                    FAIL,
                    p -> p.text(Parameters.storable(error)).text(projection).number(epoch),
                    row -> row.getBoolean(1));
            return !failed.isEmpty();
        });
    }

    /** Pauses the projection. Waits until no transaction writes effects, and prevents others from beginning. */
    boolean pause(String name, Act act) {
        String what = "pausing projection '%s'".formatted(name);
        return database.inTransaction(what, transaction -> {
            Optional<String> state = new NamedVersions(database).takeAlone(transaction, what, name);
            return state.isPresent() && change(transaction, state.get(), "pause", PAUSE, act);
        });
    }

    boolean resume(String name, Act act) {
        String what = "resuming projection '%s'".formatted(name);
        return database.inTransaction(what, transaction -> {
            Optional<String> state = new NamedVersions(database).share(transaction, what, name);
            return state.isPresent() && change(transaction, state.get(), "resume", RESUME, act);
        });
    }

    private static boolean change(
            ProjectionTransaction transaction, String projection, String action, String sql, Act act)
            throws SQLException {
        List<String> changed = transaction.rows(
                sql, p -> p.text(projection), row -> row.getString("before") + " -> " + row.getString("after"));
        if (changed.isEmpty()) {
            return false;
        }
        ProjectionAuditTable.add(transaction, projection, action, changed.getFirst(), act);
        return true;
    }
}
