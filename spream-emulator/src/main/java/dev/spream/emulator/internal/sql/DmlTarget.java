package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.sql.Privilege.Action;
import java.util.List;
import java.util.Optional;

/**
 * The table that DML writes.
 *
 * @param actions what the statement does to the table, each of which needs a privilege
 */
public record DmlTarget(String table, List<Action> actions) {
    public DmlTarget {
        actions = List.copyOf(actions);
    }

    /** Returns the target of a statement; empty if it is no DML. */
    public static Optional<DmlTarget> of(String sql, DatabaseDialect dialect) {
        TokenCursor cursor = new TokenCursor(sql, dialect);
        if (cursor.acceptWords("INSERT")) {
            return Optional.of(insert(cursor));
        }
        if (cursor.acceptWords("UPDATE")) {
            return Optional.of(new DmlTarget(cursor.expectName(), List.of(Action.UPDATE, Action.SELECT)));
        }
        if (cursor.acceptWords("DELETE")) {
            cursor.acceptWords("FROM");
            return Optional.of(new DmlTarget(cursor.expectName(), List.of(Action.DELETE, Action.SELECT)));
        }
        return Optional.empty();
    }

    private static DmlTarget insert(TokenCursor cursor) {
        boolean updates = cursor.acceptWords("OR", "UPDATE");
        if (!updates) {
            cursor.acceptWords("OR", "IGNORE");
        }
        cursor.acceptWords("INTO");
        String table = cursor.expectName();
        while (!updates && !cursor.atEnd()) {
            updates = cursor.acceptWords("DO", "UPDATE");
            cursor.next();
        }
        return new DmlTarget(table, updates ? List.of(Action.INSERT, Action.UPDATE) : List.of(Action.INSERT));
    }
}
