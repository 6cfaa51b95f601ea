package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.database.InformationSchema.simple;

import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.sql.DdlStatement.CheckConstraint;
import dev.spream.emulator.internal.sql.DdlStatement.ForeignKey;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The constraints of tables in the information schema: primary keys, NOT NULL, check constraints, and foreign keys with
 * the unique indexes that they need.
 */
record ConstraintInformation(Schema schema, InformationSchema out) {

    void write(StoredTable table) {
        String primaryKey = "PK_" + simple(table.name());
        constraint(table, primaryKey, "PRIMARY KEY", true);
        uses(table, primaryKey, table, table.table().primaryKey());
        int position = 1;
        for (String column : table.table().primaryKey()) {
            keyColumn(table, primaryKey, column, position++, null);
        }
        for (Column column : table.table().columns()) {
            if (column.notNull()) {
                String name = "CK_IS_NOT_NULL_" + simple(table.name()) + "_" + column.name();
                check(table, name, column.name() + " IS NOT NULL", List.of(column.name()));
            }
        }
        for (CheckConstraint check : table.checks()) {
            List<String> columns = table.table().columns().stream()
                    .map(Column::name)
                    .filter(column -> schema.uses(check.expression(), column))
                    .toList();
            check(table, check.name(), check.expression(), columns);
        }
        for (ForeignKey key : table.foreignKeys()) {
            foreignKey(table, key);
        }
    }

    private void constraint(StoredTable table, String name, String type, boolean enforced) {
        out.insert(
                "TABLE_CONSTRAINTS",
                out.catalog(),
                out.schemaOf(table.name()),
                simple(name),
                out.catalog(),
                out.schemaOf(table.name()),
                simple(table.name()),
                type,
                "NO",
                "NO",
                InformationSchema.yesNo(enforced));
    }

    private void check(StoredTable table, String name, String clause, List<String> columns) {
        constraint(table, name, "CHECK", true);
        out.insert("CHECK_CONSTRAINTS", out.catalog(), out.schemaOf(table.name()), simple(name), clause, "COMMITTED");
        uses(table, name, table, columns);
    }

    private void uses(StoredTable table, String constraint, StoredTable used, List<String> columns) {
        String schemaName = out.schemaOf(table.name());
        out.row("CONSTRAINT_TABLE_USAGE", used.name(), out.catalog(), schemaName, simple(constraint));
        for (String column : columns) {
            String name = used.column(column).name();
            out.row("CONSTRAINT_COLUMN_USAGE", used.name(), name, out.catalog(), schemaName, simple(constraint));
        }
    }

    private void keyColumn(
            StoredTable table, String constraint, String column, int position, @Nullable Integer inUnique) {
        out.insert(
                "KEY_COLUMN_USAGE",
                out.catalog(),
                out.schemaOf(table.name()),
                simple(constraint),
                out.catalog(),
                out.schemaOf(table.name()),
                simple(table.name()),
                table.column(column).name(),
                position,
                inUnique);
    }

    private void foreignKey(StoredTable table, ForeignKey key) {
        StoredTable referenced = schema.table(key.referencedTable());
        boolean primaryKey = ConstraintEditor.isKey(referenced, key);
        String unique = primaryKey ? "PK_" + simple(referenced.name()) : ConstraintEditor.referencedIndex(key);
        List<String> uniqueColumns = primaryKey ? referenced.table().primaryKey() : key.referencedColumns();
        constraint(table, key.name(), "FOREIGN KEY", key.enforced());
        uses(table, key.name(), referenced, key.referencedColumns());
        for (int i = 0; i < key.columns().size(); i++) {
            String other = referenced.column(key.referencedColumns().get(i)).name();
            keyColumn(table, key.name(), key.columns().get(i), i + 1, uniqueColumns.indexOf(other) + 1);
        }
        if (!primaryKey) {
            constraint(referenced, unique, "UNIQUE", true);
            uses(referenced, unique, referenced, key.referencedColumns());
            for (int i = 0; i < key.referencedColumns().size(); i++) {
                keyColumn(referenced, unique, key.referencedColumns().get(i), i + 1, null);
            }
        }
        out.insert(
                "REFERENTIAL_CONSTRAINTS",
                out.catalog(),
                out.schemaOf(table.name()),
                simple(key.name()),
                out.catalog(),
                out.schemaOf(referenced.name()),
                unique,
                out.isPostgres() ? "NONE" : "SIMPLE",
                "NO ACTION",
                key.deleteCascades() ? "CASCADE" : "NO ACTION",
                "COMMITTED");
    }
}
