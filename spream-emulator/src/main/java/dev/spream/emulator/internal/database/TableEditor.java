package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;
import static dev.spream.emulator.internal.sql.SqlTranslator.quotedList;

import dev.spream.emulator.internal.engine.Engine;
import dev.spream.emulator.internal.engine.RowCapture;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.CreateIndex;
import dev.spream.emulator.internal.sql.DdlStatement.CreateTable;
import dev.spream.emulator.internal.sql.DdlStatement.DropTable;
import dev.spream.emulator.internal.sql.DdlStatement.ForeignKey;
import dev.spream.emulator.internal.sql.DdlStatement.Parent;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Privilege.Kind;
import dev.spream.emulator.internal.sql.SqlTranslator;
import dev.spream.emulator.internal.stream.ChangeStreams;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/** Creates and drops tables. Part of a {@link SchemaEditor}. */
record TableEditor(
        Engine engine,
        ChangeStreams streams,
        StoredExpressions expressions,
        ConstraintEditor constraints,
        ViewEditor views) {

    Schema create(CreateTable create, Schema schema) throws SQLException {
        if (schema.isTaken(create.name())) {
            if (create.ifNotExists() && schema.findTable(create.name()).isPresent()) {
                return schema;
            }
            throw Schema.duplicateName(create.name());
        }
        schema.checkNamedSchemaOf(create.name());
        StoredTable declared = StoredTable.of(create);
        StoredTable table = declared.with(constraints.named(declared, schema));
        SchemaRules.checkTable(table);
        create.parent().ifPresent(parent -> schema.table(parent.table()));
        table.enforcedParent().ifPresent(parent -> SchemaRules.checkParent(table, schema.table(parent.table())));
        DeletionPolicies.check(table, schema.with(table));
        Schema result = schema.with(table);
        for (ColumnDef column : create.columns()) {
            result = SequenceEditor.withIdentity(result, table, column);
        }
        Schema created = result;
        String columns = create.columns().stream()
                .map(column -> expressions.column(table, column, created))
                .collect(Collectors.joining(", "));
        engine.administer("CREATE TABLE %s (%s, %s%s)"
                .formatted(table.quotedName(), columns, keyConstraint(table), parentConstraint(table, schema)));
        try {
            constraints.create(table, created);
        } catch (SQLException | RuntimeException e) {
            engine.administer("DROP TABLE " + table.quotedName());
            throw e;
        }
        RowCapture.attach(engine, table.name());
        return created;
    }

    private static String keyConstraint(StoredTable table) {
        if (table.hasOneRow()) {
            return SqlTranslator.ONLY_ROW + " BOOLEAN INVISIBLE DEFAULT TRUE NOT NULL PRIMARY KEY";
        }
        String columns = quotedList(table.table().primaryKey());
        return (table.hasNullableKey() ? "UNIQUE NULLS NOT DISTINCT (" : "PRIMARY KEY (") + columns + ")";
    }

    /** Returns the constraint by which an interleaved row requires its parent's row: a foreign key of the engine. */
    private static String parentConstraint(StoredTable table, Schema schema) {
        if (table.enforcedParent().isEmpty()) {
            return "";
        }
        Parent parent = table.enforcedParent().get();
        List<String> parentKey = schema.table(parent.table()).table().primaryKey();
        List<String> key = table.table().primaryKey();
        if (parentKey.isEmpty()) {
            throw Errors.unimplemented(
                    "table %s is interleaved in %s, which has no key columns; this emulator does not support that",
                    table.name(), parent.table());
        }
        return ", FOREIGN KEY (%s) REFERENCES %s (%s) ON DELETE %s"
                .formatted(
                        quotedList(key.subList(0, parentKey.size())),
                        quoted(parent.table()),
                        quotedList(parentKey),
                        parent.deleteCascades() ? "CASCADE" : "RESTRICT");
    }

    Schema drop(DropTable drop, Schema schema) throws SQLException {
        if (drop.ifExists() && schema.findTable(drop.name()).isEmpty()) {
            return schema;
        }
        StoredTable table = schema.table(drop.name());
        List<String> indexes =
                schema.indexesOf(table.name()).stream().map(CreateIndex::name).toList();
        if (!indexes.isEmpty()) {
            throw Errors.failedPrecondition(
                    "Cannot drop table %s with indices: %s.", table.name(), String.join(", ", indexes));
        }
        List<String> children = schema.tables().stream()
                .filter(other -> other.definition()
                        .parent()
                        .filter(parent -> parent.table().equalsIgnoreCase(table.name()))
                        .isPresent())
                .map(StoredTable::name)
                .toList();
        if (!children.isEmpty()) {
            throw Errors.failedPrecondition(
                    "Cannot drop table %s with interleaved tables: %s.", table.name(), String.join(", ", children));
        }
        ConstraintEditor.checkUnreferenced(table, schema);
        views.checkUnused("TABLE", table.name(), schema);
        schema.roles().checkUngranted(Kind.TABLE, table.name());
        streams.checkTableChange(table.name(), "");
        for (ForeignKey key : table.foreignKeys()) {
            constraints.dropIndexes(key);
        }
        engine.administer("DROP TABLE " + table.quotedName());
        return schema.withoutTable(table.name());
    }
}
