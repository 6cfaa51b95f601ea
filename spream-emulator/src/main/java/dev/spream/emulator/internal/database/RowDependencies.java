package dev.spream.emulator.internal.database;

import com.google.protobuf.Value;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.schema.RowKey;
import dev.spream.emulator.internal.sql.DdlStatement.ForeignKey;
import dev.spream.emulator.internal.sql.DdlStatement.Parent;
import dev.spream.emulator.internal.sql.Values;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The rows and tables that the checks of interleaving and of foreign keys read when a row changes. */
final class RowDependencies {
    private final Schema schema;
    private final Reads reads;

    private RowDependencies(Schema schema, Reads reads) {
        this.schema = schema;
        this.reads = reads;
    }

    /** Adds what the checks of these changes read. */
    static void add(List<RowChange> changes, Schema schema, Reads reads) {
        RowDependencies dependencies = new RowDependencies(schema, reads);
        for (RowChange change : changes) {
            StoredTable table = schema.table(change.table().name());
            if (change.kind() != RowChange.Kind.DELETE) {
                dependencies.addParent(table, change.after());
                table.foreignKeys().stream()
                        .filter(ForeignKey::enforced)
                        .forEach(key -> dependencies.addReferenced(table, key, change.after()));
            }
            if (change.kind() != RowChange.Kind.INSERT) {
                dependents(table, schema).forEach(reads::addTable);
            }
        }
    }

    private void addParent(StoredTable table, Map<String, Value> row) {
        table.enforcedParent().map(Parent::table).map(schema::table).ifPresent(parent -> {
            List<Value> key = RowKey.of(table.table(), row).key();
            reads.add(
                    new RowKey(parent.name(), key.subList(0, parent.keyColumns().size())));
        });
    }

    private void addReferenced(StoredTable table, ForeignKey key, Map<String, Value> row) {
        StoredTable referenced = schema.table(key.referencedTable());
        List<String> columns = key.referencedColumns().stream()
                .map(name -> referenced.column(name).name())
                .toList();
        if (!columns.equals(referenced.table().primaryKey())) {
            reads.addTable(referenced.name());
            return;
        }
        reads.add(new RowKey(
                referenced.name(),
                key.columns().stream()
                        .map(name -> row.getOrDefault(table.column(name).name(), Values.NULL))
                        .toList()));
    }

    /** Returns the tables whose rows require rows of this one. */
    private static Set<String> dependents(StoredTable table, Schema schema) {
        Set<String> dependents = new TreeSet<>();
        for (StoredTable other : schema.tables()) {
            boolean child = other.enforcedParent()
                    .filter(parent -> isNamed(table, parent.table()))
                    .isPresent();
            boolean referencing = other.foreignKeys().stream()
                    .anyMatch(key -> key.enforced() && isNamed(table, key.referencedTable()));
            if (child || referencing) {
                dependents.add(other.name());
            }
        }
        return dependents;
    }

    /** Returns the tables that the checks of a change of this one may read. */
    static Set<String> tablesNear(StoredTable table, Schema schema) {
        Set<String> near = dependents(table, schema);
        table.enforcedParent()
                .ifPresent(parent -> near.add(schema.table(parent.table()).name()));
        table.foreignKeys()
                .forEach(key -> near.add(schema.table(key.referencedTable()).name()));
        return near;
    }

    private static boolean isNamed(StoredTable table, String name) {
        return table.name().equalsIgnoreCase(name);
    }
}
