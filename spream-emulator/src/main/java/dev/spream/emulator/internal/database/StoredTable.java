package dev.spream.emulator.internal.database;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.Table;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.CreateTable;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import dev.spream.emulator.internal.sql.DdlStatement.Parent;
import dev.spream.emulator.internal.sql.Errors;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** A table with everything that was declared about it. */
record StoredTable(CreateTable definition, Table table) {

    static StoredTable of(CreateTable definition) {
        List<Column> columns = new ArrayList<>();
        for (ColumnDef column : definition.columns()) {
            columns.add(new Column(
                    column.name(),
                    column.type().type(),
                    columns.size() + 1,
                    column.notNull(),
                    column.allowsCommitTimestamp()));
        }
        List<String> key = new ArrayList<>();
        for (KeyPart part : definition.primaryKey()) {
            key.add(columns.stream()
                    .filter(column -> column.name().equalsIgnoreCase(part.column()))
                    .findFirst()
                    .orElseThrow(() -> Errors.invalidArgument(
                            "Table %s references nonexistent key column %s", definition.name(), part.column()))
                    .name());
        }
        return new StoredTable(definition, new Table(definition.name(), columns, key));
    }

    StoredTable withColumns(List<ColumnDef> columns) {
        return of(new CreateTable(
                definition.name(),
                false,
                columns,
                definition.primaryKey(),
                definition.parent(),
                definition.rowDeletionPolicy()));
    }

    StoredTable withRowDeletionPolicy(String policy) {
        return of(new CreateTable(
                definition.name(), false, definition.columns(), definition.primaryKey(), definition.parent(), policy));
    }

    String name() {
        return table.name();
    }

    Optional<Parent> enforcedParent() {
        return definition.parent().filter(Parent::enforced);
    }

    Optional<Column> findColumn(String name) {
        return table.columns().stream()
                .filter(column -> column.name().equalsIgnoreCase(name))
                .findFirst();
    }

    Column column(String name) {
        return findColumn(name)
                .orElseThrow(() -> Errors.notFound("Column not found in table %s: %s", table.name(), name));
    }

    List<Column> keyColumns() {
        return table.primaryKey().stream().map(this::column).toList();
    }

    boolean isKeyColumn(String name) {
        return table.primaryKey().stream().anyMatch(key -> key.equalsIgnoreCase(name));
    }

    /** Whether its key is empty, so that it has one row at most. */
    boolean hasOneRow() {
        return table.primaryKey().isEmpty();
    }

    /** Whether NULL can stand in the key, which the engine's primary keys refuse. */
    boolean hasNullableKey() {
        return keyColumns().stream().anyMatch(column -> !column.notNull());
    }

    /** The statement that creates the table as it is now. */
    String ddl(DatabaseDialect dialect) {
        return dialect == DatabaseDialect.POSTGRESQL ? postgresDdl() : googleDdl();
    }

    private String googleDdl() {
        StringBuilder ddl = new StringBuilder("CREATE TABLE " + definition.name() + " (\n");
        for (ColumnDef column : definition.columns()) {
            ddl.append("  %s %s".formatted(column.name(), column.type().declared()))
                    .append(column.notNull() ? " NOT NULL" : "")
                    .append(column.allowsCommitTimestamp() ? " OPTIONS (\n    allow_commit_timestamp = true\n  )" : "")
                    .append(",\n");
        }
        ddl.append(") PRIMARY KEY(").append(keyParts("")).append(")");
        definition
                .parent()
                .ifPresent(parent -> ddl.append(",\n  INTERLEAVE IN ")
                        .append(parent.enforced() ? "PARENT " : "")
                        .append(parent.table())
                        .append(parent.deleteCascades() ? " ON DELETE CASCADE" : ""));
        if (!definition.rowDeletionPolicy().isEmpty()) {
            ddl.append(", ").append(definition.rowDeletionPolicy());
        }
        return ddl.toString();
    }

    private String postgresDdl() {
        StringBuilder ddl = new StringBuilder("CREATE TABLE " + postgresName(definition.name()) + " (\n");
        for (ColumnDef column : definition.columns()) {
            ddl.append("  %s %s"
                            .formatted(
                                    postgresName(column.name()), column.type().declared()))
                    .append(column.notNull() ? " NOT NULL" : "")
                    .append(",\n");
        }
        ddl.append("  PRIMARY KEY(").append(keyParts("\"")).append(")\n)");
        definition
                .parent()
                .ifPresent(parent -> ddl.append(" INTERLEAVE IN ")
                        .append(parent.enforced() ? "PARENT " : "")
                        .append(postgresName(parent.table()))
                        .append(parent.deleteCascades() ? " ON DELETE CASCADE" : ""));
        if (!definition.rowDeletionPolicy().isEmpty()) {
            ddl.append(" ").append(definition.rowDeletionPolicy());
        }
        return ddl.toString();
    }

    private String keyParts(String quote) {
        return definition.primaryKey().stream()
                .map(part -> (quote.isEmpty() ? part.column() : postgresName(part.column()))
                        + (part.descending() ? " DESC" : ""))
                .collect(Collectors.joining(", "));
    }

    static String postgresName(String name) {
        return name.matches("[a-z_][a-z0-9_]*") ? name : "\"" + name + "\"";
    }
}
