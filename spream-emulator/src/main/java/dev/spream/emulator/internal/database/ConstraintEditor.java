package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;
import static dev.spream.emulator.internal.sql.SqlTranslator.quotedList;

import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.engine.Engine;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.sql.DdlStatement.AddConstraint;
import dev.spream.emulator.internal.sql.DdlStatement.CheckConstraint;
import dev.spream.emulator.internal.sql.DdlStatement.Constraint;
import dev.spream.emulator.internal.sql.DdlStatement.DropConstraint;
import dev.spream.emulator.internal.sql.DdlStatement.ForeignKey;
import dev.spream.emulator.internal.sql.Errors;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.h2.api.ErrorCode;

/**
 * Adds and drops constraints. A check constraint is one of the engine; {@link ForeignKeys} enforces foreign keys, of
 * which the engine has indexes only. Part of a {@link SchemaEditor}.
 */
record ConstraintEditor(Engine engine, StoredExpressions expressions) {

    /** Returns the constraints of a new table, all with names. */
    List<Constraint> named(StoredTable table, Schema schema) {
        List<Constraint> named = new ArrayList<>();
        for (Constraint constraint : table.definition().constraints()) {
            named.add(named(constraint, table.with(named), schema));
        }
        return named;
    }

    private static Constraint named(Constraint constraint, StoredTable table, Schema schema) {
        if (constraint.isNamed()) {
            boolean taken = schema.isTaken(constraint.name())
                    || table.definition().constraints().stream()
                            .anyMatch(other -> other.name().equalsIgnoreCase(constraint.name()));
            if (taken) {
                throw Schema.duplicateName(constraint.name());
            }
            return constraint;
        }
        String stem = constraint instanceof ForeignKey key
                ? "FK_" + table.name() + "_" + key.referencedTable()
                : "CK_" + table.name();
        String hashed = "%s_%016X_"
                .formatted(
                        stem.replace('.', '_'),
                        0x9E3779B97F4A7C15L * stem.toLowerCase(Locale.ROOT).hashCode());
        for (int number = 1; ; number++) {
            String name = hashed + number;
            if (table.definition().constraints().stream()
                    .noneMatch(other -> other.name().equals(name))) {
                return constraint.named(name);
            }
        }
    }

    /** Adds the constraints of a new table, which has no rows. */
    void create(StoredTable table, Schema schema) throws SQLException {
        for (CheckConstraint check : table.checks()) {
            engine.administer(
                    "ALTER TABLE %s ADD %s".formatted(table.quotedName(), expressions.check(table, check, schema)));
        }
        for (ForeignKey key : table.foreignKeys()) {
            check(key, table, schema);
            createIndexes(key, table, schema);
        }
    }

    Schema add(AddConstraint add, Schema schema) throws SQLException {
        StoredTable table = schema.table(add.table());
        Constraint constraint = named(add.constraint(), table, schema);
        List<Constraint> constraints = new ArrayList<>(table.definition().constraints());
        constraints.add(constraint);
        StoredTable changed = table.with(constraints);
        switch (constraint) {
            case CheckConstraint check ->
                engine.administer(
                        "ALTER TABLE %s ADD %s".formatted(table.quotedName(), expressions.check(table, check, schema)));
            case ForeignKey key -> {
                check(key, table, schema);
                if (key.enforced()) {
                    ForeignKeys.checkRows(engine, key, changed, schema);
                }
                createIndexes(key, table, schema);
            }
        }
        return schema.with(changed);
    }

    private static void check(ForeignKey key, StoredTable table, Schema schema) {
        StoredTable referenced =
                key.referencedTable().equalsIgnoreCase(table.name()) ? table : schema.table(key.referencedTable());
        if (key.columns().size() != key.referencedColumns().size()) {
            throw Errors.failedPrecondition(
                    "The number of referencing and referenced columns is different in foreign key `%s`.", key.name());
        }
        for (int i = 0; i < key.columns().size(); i++) {
            Column column = column(key.columns().get(i), table, key);
            Column other = column(key.referencedColumns().get(i), referenced, key);
            if (!column.type().equals(other.type())) {
                throw Errors.failedPrecondition(
                        "The column types are different for column `%s` of table `%s` and column `%s` of table `%s` in"
                                + " foreign key `%s`.",
                        column.name(), table.name(), other.name(), referenced.name(), key.name());
            }
            if (column.type().getCode() == TypeCode.ARRAY || column.type().getCode() == TypeCode.JSON) {
                throw Errors.failedPrecondition(
                        "Column `%s` of table `%s` has a type that is not supported in foreign key `%s`.",
                        column.name(), table.name(), key.name());
            }
        }
    }

    private static Column column(String name, StoredTable table, ForeignKey key) {
        return table.findColumn(name)
                .orElseThrow(() -> Errors.failedPrecondition(
                        "Column `%s` not found for table `%s` in foreign key `%s`.", name, table.name(), key.name()));
    }

    private void createIndexes(ForeignKey key, StoredTable table, Schema schema) throws SQLException {
        engine.administer("CREATE INDEX %s ON %s (%s)"
                .formatted(quoted("FK_" + key.name()), table.quotedName(), quotedList(key.columns())));
        StoredTable referenced =
                key.referencedTable().equalsIgnoreCase(table.name()) ? table : schema.table(key.referencedTable());
        if (isKey(referenced, key)) {
            return;
        }
        try {
            engine.administer("CREATE UNIQUE INDEX %s ON %s (%s)"
                    .formatted(
                            quoted(referencedIndex(key)),
                            referenced.quotedName(),
                            quotedList(key.referencedColumns())));
        } catch (SQLException e) {
            if (e.getErrorCode() == ErrorCode.DUPLICATE_KEY_1) {
                throw Errors.failedPrecondition(
                        "The referenced columns of foreign key `%s` are not unique in table `%s`.",
                        key.name(), referenced.name());
            }
            throw e;
        }
    }

    /** Returns the name of the unique index of the referenced columns of a key. */
    static String referencedIndex(ForeignKey key) {
        return "FK_REFERENCED_" + key.name();
    }

    /** Returns whether a foreign key refers to a primary key, which needs no other index. */
    static boolean isKey(StoredTable referenced, ForeignKey key) {
        return key.referencedColumns().size() == referenced.table().primaryKey().size()
                && key.referencedColumns().stream().allMatch(referenced::isKeyColumn);
    }

    Schema drop(DropConstraint drop, Schema schema) throws SQLException {
        StoredTable table = schema.table(drop.table());
        Constraint constraint = table.definition().constraints().stream()
                .filter(found -> found.name().equalsIgnoreCase(drop.name()))
                .findFirst()
                .orElseThrow(() -> Errors.notFound("%s is not a constraint in %s", drop.name(), table.name()));
        switch (constraint) {
            case CheckConstraint check ->
                engine.administer(
                        "ALTER TABLE %s DROP CONSTRAINT %s".formatted(table.quotedName(), quoted(check.name())));
            case ForeignKey key -> dropIndexes(key);
        }
        return schema.with(table.with(table.definition().constraints().stream()
                .filter(other -> !other.equals(constraint))
                .toList()));
    }

    void dropIndexes(ForeignKey key) throws SQLException {
        engine.administer("DROP INDEX IF EXISTS " + quoted("FK_" + key.name()));
        engine.administer("DROP INDEX IF EXISTS " + quoted(referencedIndex(key)));
    }

    /** Checks that no constraint uses a column. */
    void checkUnused(StoredTable table, String column, Schema schema) {
        List<String> keys = schema.tables().stream()
                .flatMap(other -> other.foreignKeys().stream()
                        .filter(key -> (other.name().equals(table.name()) && names(key.columns(), column))
                                || (key.referencedTable().equalsIgnoreCase(table.name())
                                        && names(key.referencedColumns(), column))))
                .map(key -> "`" + key.name() + "`")
                .toList();
        if (!keys.isEmpty()) {
            throw Errors.failedPrecondition(
                    "Cannot drop column `%s` from table `%s`. It is used by one or more foreign keys: %s. You must drop the"
                            + " foreign keys before dropping the column.",
                    column, table.name(), String.join(", ", keys));
        }
        table.checks().stream()
                .filter(check -> expressions.uses(check.expression(), column))
                .findFirst()
                .ifPresent(check -> {
                    throw Errors.failedPrecondition(
                            "Cannot drop column `%s` on which there is a dependent check constraint: %s.",
                            column, check.name());
                });
    }

    private static boolean names(List<String> columns, String column) {
        return columns.stream().anyMatch(column::equalsIgnoreCase);
    }

    /** Checks that no other table has a foreign key to a table. */
    static void checkUnreferenced(StoredTable table, Schema schema) {
        List<String> keys = schema.tables().stream()
                .filter(other -> !other.name().equals(table.name()))
                .flatMap(other -> other.foreignKeys().stream())
                .filter(key -> key.referencedTable().equalsIgnoreCase(table.name()))
                .map(key -> "`" + key.name() + "`")
                .toList();
        if (!keys.isEmpty()) {
            throw Errors.failedPrecondition(
                    "Cannot drop table `%s`. It is referenced by one or more foreign keys: %s. You must drop the foreign keys"
                            + " before dropping the table.",
                    table.name(), String.join(", ", keys));
        }
    }
}
