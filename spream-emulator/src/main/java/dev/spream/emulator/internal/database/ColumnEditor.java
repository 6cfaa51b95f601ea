package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;
import static java.util.Objects.requireNonNullElse;

import dev.spream.emulator.internal.engine.Engine;
import dev.spream.emulator.internal.engine.RowCapture;
import dev.spream.emulator.internal.function.StatementScope;
import dev.spream.emulator.internal.sql.DdlStatement.AddColumn;
import dev.spream.emulator.internal.sql.DdlStatement.AlterColumn;
import dev.spream.emulator.internal.sql.DdlStatement.AlterIdentity;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnSource;
import dev.spream.emulator.internal.sql.DdlStatement.CreateIndex;
import dev.spream.emulator.internal.sql.DdlStatement.DropColumn;
import dev.spream.emulator.internal.sql.DdlStatement.GeneratedColumn;
import dev.spream.emulator.internal.sql.DdlStatement.IdentityColumn;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.SqlTranslator;
import dev.spream.emulator.internal.stream.ChangeStreams;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Adds, alters and drops columns. Part of a {@link SchemaEditor}. */
record ColumnEditor(
        Engine engine,
        ChangeStreams streams,
        StoredExpressions expressions,
        ConstraintEditor constraints,
        ViewEditor views,
        Supplier<Instant> clock) {

    Schema add(AddColumn add, Schema schema) throws SQLException {
        StoredTable table = schema.table(add.table());
        if (table.findColumn(add.column().name()).isPresent()) {
            if (add.ifNotExists()) {
                return schema;
            }
            throw Errors.failedPrecondition(
                    "Duplicate column name %s.%s.", table.name(), add.column().name());
        }
        if (add.column().notNull() && add.column().source().isEmpty() && hasRows(table)) {
            throw Errors.failedPrecondition(
                    "Cannot add NOT NULL column %s.%s to existing table %s.",
                    table.name(), add.column().name(), table.name());
        }
        // images of rows have the declared columns first
        String place = table.hasOneRow() ? " BEFORE " + SqlTranslator.ONLY_ROW : "";
        List<ColumnDef> columns = new ArrayList<>(table.definition().columns());
        columns.add(add.column());
        StoredTable changed = table.withColumns(columns);
        SchemaRules.checkTable(changed);
        Schema result = SequenceEditor.withIdentity(schema.with(changed), changed, add.column());
        String column = expressions.column(changed, add.column(), result);
        StatementScope.run(clock, result::sequence, () -> {
            alter(table, "ADD COLUMN " + column + place);
            return result;
        });
        return result;
    }

    private boolean hasRows(StoredTable table) {
        return engine.read(connection -> {
            try (var statement = connection.createStatement();
                    var rows = statement.executeQuery("SELECT 1 FROM " + table.quotedName() + " LIMIT 1")) {
                return rows.next();
            }
        });
    }

    Schema drop(DropColumn drop, Schema schema) throws SQLException {
        StoredTable table = schema.table(drop.table());
        String column = table.column(drop.column()).name();
        if (table.isKeyColumn(column)) {
            throw Errors.failedPrecondition("Cannot drop key column %s from table %s.", column, table.name());
        }
        for (CreateIndex index : schema.indexesOf(table.name())) {
            boolean used = index.parts().stream().map(KeyPart::column).anyMatch(column::equalsIgnoreCase)
                    || index.storing().stream().anyMatch(column::equalsIgnoreCase);
            if (used) {
                throw Errors.failedPrecondition(
                        "Cannot drop column %s from table %s because it is used by index %s.",
                        column, table.name(), index.name());
            }
        }
        List<String> generated = expressions.generatedFrom(table, column);
        if (!generated.isEmpty()) {
            throw Errors.failedPrecondition(
                    "Cannot drop column `%s` from table `%s` because it is used by the generated column `%s`.",
                    column, table.name(), generated.getFirst());
        }
        constraints.checkUnused(table, column, schema);
        views.checkColumnUnused(table.name(), column, schema);
        DeletionPolicies.checkUnused(table, column);
        streams.checkTableChange(table.name(), column);
        alter(table, "DROP COLUMN " + quoted(column));
        List<ColumnDef> columns = table.definition().columns().stream()
                .filter(definition -> !definition.name().equals(column))
                .toList();
        return schema.with(table.withColumns(columns)).withoutSequence(table.identitySequence(column));
    }

    Schema alter(AlterColumn alter, Schema schema) throws SQLException {
        StoredTable table = schema.table(alter.table());
        ColumnDef old = table.definition(table.column(alter.column()));
        ColumnDef changed = changed(table, old, alter);
        if (changed.equals(old)) {
            return schema;
        }
        if (!changed.type().type().equals(old.type().type())) {
            DeletionPolicies.checkUnused(table, old.name());
            if (!expressions.generatedFrom(table, old.name()).isEmpty()) {
                throw Errors.failedPrecondition(
                        "Cannot change the data type of column `%s`, which has a dependent stored generated column.",
                        old.name());
            }
        }
        SchemaRules.checkAlteration(table, old, changed, schema);
        StoredTable result = table.withColumns(table.definition().columns().stream()
                .map(column -> column.equals(old) ? changed : column)
                .toList());
        SchemaRules.checkTable(result);
        if (alter.allowsCommitTimestamp() == null) {
            alter(
                    table,
                    "ALTER COLUMN " + expressions.column(result, changed, schema.with(result))
                            + (changed.notNull() ? "" : " NULL"));
        }
        return schema.with(result);
    }

    private static ColumnDef changed(StoredTable table, ColumnDef old, AlterColumn alter) {
        return new ColumnDef(
                old.name(),
                requireNonNullElse(alter.type(), old.type()),
                requireNonNullElse(alter.notNull(), old.notNull()),
                requireNonNullElse(alter.allowsCommitTimestamp(), old.allowsCommitTimestamp()),
                old.inPrimaryKey(),
                alter.source() == null ? old.source() : source(table, old, alter.source(), alter.type() != null));
    }

    /** @param declared whether the statement declares the column anew */
    private static Optional<ColumnSource> source(
            StoredTable table, ColumnDef old, Optional<ColumnSource> source, boolean declared) {
        String name = table.name() + "." + old.name();
        boolean generated = source.filter(GeneratedColumn.class::isInstance).isPresent();
        if (old.isGenerated()) {
            if (old.source().equals(source)) {
                return source;
            }
            if (generated) {
                throw Errors.invalidArgument(
                        "Cannot change the expression of a generated column `%s` because it is stored or has other"
                                + " dependencies.",
                        name);
            }
            if (declared) {
                throw Errors.invalidArgument("Cannot convert generated column `%s` to a regular column.", name);
            }
            throw Errors.failedPrecondition(
                    "Column %s with a DEFAULT value cannot be a generated column and vice versa.", name);
        }
        if (generated) {
            throw Errors.invalidArgument("Cannot convert regular column `%s` to a generated column.", name);
        }
        boolean identity = old.source().filter(IdentityColumn.class::isInstance).isPresent();
        if (identity && source.isPresent() && !source.equals(old.source())) {
            throw Errors.invalidArgument(
                    "Cannot alter an identity column `%s` to a generated or default column.", name);
        }
        if (!identity && source.filter(IdentityColumn.class::isInstance).isPresent()) {
            throw Errors.unimplemented(
                    "Column %s cannot become an identity column in this emulator; declare it so when it is created",
                    name);
        }
        return identity ? old.source() : source;
    }

    static Schema alterIdentity(AlterIdentity alter, Schema schema) {
        StoredTable table = schema.table(alter.table());
        ColumnDef column = table.definition(table.column(alter.column()));
        if (!(column.source().orElse(null) instanceof IdentityColumn identity)) {
            throw Errors.failedPrecondition("Column %s.%s is not an identity column.", table.name(), column.name());
        }
        schema.sequence(table.identitySequence(column.name())).change(alter.change());
        ColumnDef changed =
                column.with(Optional.of(new IdentityColumn(identity.options().with(alter.change()))));
        return schema.with(table.withColumns(table.definition().columns().stream()
                .map(each -> each.equals(column) ? changed : each)
                .toList()));
    }

    /**
     * Alters a table and creates its trigger again: the engine alters a table by copying it, and the trigger would keep
     * the copy's temporary name.
     */
    private void alter(StoredTable table, String change) throws SQLException {
        RowCapture.detach(engine, table.name());
        try {
            engine.administer("ALTER TABLE %s %s".formatted(table.quotedName(), change));
        } finally {
            RowCapture.attach(engine, table.name());
        }
    }
}
