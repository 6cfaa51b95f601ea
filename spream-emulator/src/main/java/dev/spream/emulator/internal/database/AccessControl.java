package dev.spream.emulator.internal.database;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Mutation;
import dev.spream.emulator.internal.sql.DmlTarget;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Privilege.Action;
import dev.spream.emulator.internal.sql.Privilege.Kind;
import dev.spream.emulator.internal.sql.SqlNames;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * The privileges of a session with a role; a session without one may do everything. A statement uses each table and view
 * that it names.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/fgac-about">Spanner: fine-grained access control</a>
 */
public final class AccessControl {
    private final Schema schema;
    private final DatabaseDialect dialect;
    private final String role;

    AccessControl(Schema schema, DatabaseDialect dialect, String role) {
        this.schema = schema;
        this.dialect = dialect;
        this.role = role;
        if (!role.isEmpty() && !schema.roles().exists(role)) {
            throw Errors.permissionDenied("Role not found: %s", role);
        }
    }

    public void checkStream(ChangeStreamQuery query) {
        require(Action.SELECT, Kind.CHANGE_STREAM, query.stream());
        require(Action.EXECUTE, Kind.FUNCTION, query.function());
    }

    public void checkRead(String table) {
        require(Action.SELECT, Kind.TABLE, table);
    }

    public void checkMutations(List<Mutation> mutations) {
        for (Mutation mutation : mutations) {
            switch (mutation.getOperationCase()) {
                case INSERT -> requireOnTable(mutation.getInsert().getTable(), Action.INSERT);
                case UPDATE -> requireOnTable(mutation.getUpdate().getTable(), Action.UPDATE);
                case INSERT_OR_UPDATE ->
                    requireOnTable(mutation.getInsertOrUpdate().getTable(), Action.INSERT, Action.UPDATE);
                case REPLACE -> requireOnTable(mutation.getReplace().getTable(), Action.INSERT, Action.DELETE);
                case DELETE -> requireOnTable(mutation.getDelete().getTable(), Action.DELETE);
                default -> {}
            }
        }
    }

    public void checkStatement(String sql) {
        if (role.isEmpty()) {
            return;
        }
        Optional<DmlTarget> written = DmlTarget.of(sql, dialect);
        written.ifPresent(
                target -> requireOnTable(target.table(), target.actions().toArray(Action[]::new)));
        checkNamed(sql, written.map(DmlTarget::table).orElse(""));
    }

    private void checkNamed(String sql, String except) {
        Set<String> names = SqlNames.pathsIn(sql, dialect);
        for (StoredTable table : schema.tables()) {
            if (names.contains(table.name().toLowerCase(Locale.ROOT))
                    && !table.name().equalsIgnoreCase(except)) {
                require(Action.SELECT, Kind.TABLE, table.name());
            }
        }
        for (DefinedView view : schema.views()) {
            if (names.contains(view.name().toLowerCase(Locale.ROOT))) {
                require(Action.SELECT, Kind.VIEW, view.name());
                if (!view.definition().definer()) {
                    checkNamed(view.definition().query(), "");
                }
            }
        }
    }

    private void requireOnTable(String table, Action... actions) {
        for (Action action : actions) {
            require(action, Kind.TABLE, table);
        }
    }

    private void require(Action action, Kind kind, String object) {
        boolean asTable = kind == Kind.VIEW && !role.isEmpty() && schema.roles().has(role, action, Kind.TABLE, object);
        if (!role.isEmpty() && !asTable && !schema.roles().has(role, action, kind, object)) {
            String shown = kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
            throw Errors.permissionDenied("Role %s does not have required privileges on %s %s.", role, shown, object);
        }
    }
}
