package dev.spream.emulator.internal.database;

import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.sql.DdlStatement.DeletionPolicy;
import dev.spream.emulator.internal.sql.DdlStatement.Parent;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Types;
import io.grpc.StatusRuntimeException;
import java.util.Optional;

/**
 * The rules of row deletion policies: their column is a TIMESTAMP, and the deletion of a row deletes all rows that are
 * interleaved in it.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/ttl/working-with-ttl">Spanner: TTL</a>
 */
final class DeletionPolicies {
    private DeletionPolicies() {}

    /** Checks the policy of a new or altered table, and its place below tables that have policies. */
    static void check(StoredTable table, Schema schema) {
        Optional<DeletionPolicy> policy = table.definition().deletionPolicy();
        policy.ifPresent(found -> {
            checkColumn(found, table);
            checkDescendants(table, table, schema);
        });
        Optional<Parent> parent = table.enforcedParent();
        if (parent.isPresent() && !parent.get().deleteCascades()) {
            checkAncestors(table, schema);
        }
    }

    private static void checkColumn(DeletionPolicy policy, StoredTable table) {
        Column column = table.findColumn(policy.column())
                .orElseThrow(() -> Errors.invalidArgument(
                        "Cannot create ROW DELETION POLICY because there is no column named %s in table %s.",
                        policy.column(), table.name()));
        if (!column.type().equals(Types.TIMESTAMP)) {
            throw Errors.invalidArgument(
                    "Cannot create ROW DELETION POLICY because column %s in table %s is not of type TIMESTAMP.",
                    column.name(), table.name());
        }
    }

    private static void checkDescendants(StoredTable table, StoredTable ancestor, Schema schema) {
        for (StoredTable child : schema.tables()) {
            Optional<Parent> parent =
                    child.enforcedParent().filter(found -> found.table().equalsIgnoreCase(ancestor.name()));
            if (parent.isPresent() && !parent.get().deleteCascades()) {
                throw Errors.invalidArgument(
                        "Cannot create row deletion policy on %s because there is a descendant Table %s with ON DELETE"
                                + " NO ACTION.",
                        table.name(), child.name());
            }
            if (parent.isPresent()) {
                checkDescendants(table, child, schema);
            }
        }
    }

    private static void checkAncestors(StoredTable table, Schema schema) {
        Optional<Parent> parent = table.enforcedParent();
        while (parent.isPresent()) {
            StoredTable ancestor = schema.table(parent.get().table());
            if (ancestor.definition().deletionPolicy().isPresent()) {
                throw Errors.invalidArgument(
                        "Cannot create or alter table %s with ON DELETE NO ACTION because there is a row deletion"
                                + " policy on ancestor table %s.",
                        table.name(), ancestor.name());
            }
            parent = ancestor.enforcedParent();
        }
    }

    /** Checks the column of a policy for an existing table, which Google's emulator refuses in other words. */
    static void checkAdded(DeletionPolicy policy, StoredTable table) {
        table.findColumn(policy.column())
                .filter(column -> !column.type().equals(Types.TIMESTAMP))
                .ifPresent(column -> {
                    throw willBreak(column.name(), table);
                });
    }

    /** Checks that a column may be dropped, or get another type. */
    static void checkUnused(StoredTable table, String column) {
        boolean used = table.definition()
                .deletionPolicy()
                .filter(policy -> policy.column().equalsIgnoreCase(column))
                .isPresent();
        if (used) {
            throw willBreak(column, table);
        }
    }

    private static StatusRuntimeException willBreak(String column, StoredTable table) {
        return Errors.invalidArgument(
                "ROW DELETION POLICY will break if drop/alter column named %s in table %s. Row Deletion Policy must be"
                        + " set on column of type TIMESTAMP.",
                column, table.name());
    }
}
