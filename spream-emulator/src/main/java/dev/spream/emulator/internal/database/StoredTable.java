package dev.spream.emulator.internal.database;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.Table;
import dev.spream.emulator.internal.sql.DdlStatement.CheckConstraint;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.Constraint;
import dev.spream.emulator.internal.sql.DdlStatement.CreateTable;
import dev.spream.emulator.internal.sql.DdlStatement.DefaultValue;
import dev.spream.emulator.internal.sql.DdlStatement.DeletionPolicy;
import dev.spream.emulator.internal.sql.DdlStatement.ForeignKey;
import dev.spream.emulator.internal.sql.DdlStatement.GeneratedColumn;
import dev.spream.emulator.internal.sql.DdlStatement.IdentityColumn;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import dev.spream.emulator.internal.sql.DdlStatement.Parent;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.SqlNames;
import dev.spream.emulator.internal.sql.SqlTranslator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A table with its complete declaration. */
record StoredTable(CreateTable definition, Table table) {

    static StoredTable of(CreateTable definition) {
        List<Column> columns = new ArrayList<>();
        for (ColumnDef column : definition.columns()) {
            columns.add(new Column(
                    column.name(),
                    column.type().type(),
                    columns.size() + 1,
                    column.notNull(),
                    column.allowsCommitTimestamp(),
                    column.isGenerated()));
        }
        List<String> key = new ArrayList<>();
        for (KeyPart part : definition.primaryKey()) {
            key.add(columns.stream()
                    .filter(column -> column.name().equalsIgnoreCase(part.column()))
                    .findFirst()
                    .orElseThrow(() -> Errors.failedPrecondition(
                            "Table %s references nonexistent key column %s.", definition.name(), part.column()))
                    .name());
        }
        return new StoredTable(definition, new Table(definition.name(), columns, key));
    }

    StoredTable withColumns(List<ColumnDef> columns) {
        return of(definition.withColumns(columns));
    }

    StoredTable with(Optional<DeletionPolicy> policy) {
        return of(definition.with(policy));
    }

    String name() {
        return table.name();
    }

    String quotedName() {
        return SqlTranslator.quoted(table.name());
    }

    Optional<Parent> enforcedParent() {
        return definition.parent().filter(Parent::enforced);
    }

    Optional<Column> findColumn(String name) {
        for (Column column : table.columns()) {
            if (column.name().equalsIgnoreCase(name)) {
                return Optional.of(column);
            }
        }
        return Optional.empty();
    }

    Column column(String name) {
        return findColumn(name)
                .orElseThrow(() -> Errors.notFound("Column not found in table %s: %s", table.name(), name));
    }

    ColumnDef definition(Column column) {
        return definition.columns().get(column.ordinalPosition() - 1);
    }

    /** Returns the expression of a generated column over columns that are not generated, which the engine demands. */
    String generatedExpression(ColumnDef column, DatabaseDialect dialect) {
        return generatedExpression(column, dialect, List.of());
    }

    private String generatedExpression(ColumnDef column, DatabaseDialect dialect, List<String> users) {
        if (users.contains(column.name())) {
            throw Errors.failedPrecondition(
                    "Cycle detected while analysing generated column, which include objects (%s)",
                    String.join(", ", users));
        }
        List<String> using =
                Stream.concat(users.stream(), Stream.of(column.name())).toList();
        GeneratedColumn generated = (GeneratedColumn) column.source().orElseThrow();
        return SqlNames.replaced(
                generated.expression(),
                dialect,
                name -> definition.columns().stream()
                        .filter(ColumnDef::isGenerated)
                        .filter(other -> other.name().equalsIgnoreCase(name))
                        .findFirst()
                        .map(other -> "(" + generatedExpression(other, dialect, using) + ")"));
    }

    /** Returns the name of the sequence of an identity column, which no other sequence can have. */
    String identitySequence(String column) {
        return table.name() + "." + column + "()";
    }

    StoredTable with(List<Constraint> constraints) {
        return of(definition.withConstraints(constraints));
    }

    List<ForeignKey> foreignKeys() {
        return constraints(ForeignKey.class);
    }

    List<CheckConstraint> checks() {
        return constraints(CheckConstraint.class);
    }

    private <T extends Constraint> List<T> constraints(Class<T> type) {
        return definition.constraints().stream()
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    /** Returns the columns of a key, or of an index, for a condition. */
    List<KeyPredicate.Part> parts(List<KeyPart> key) {
        return key.stream()
                .map(part -> new KeyPredicate.Part(column(part.column()), part.descending()))
                .toList();
    }

    List<Column> keyColumns() {
        return table.primaryKey().stream().map(this::column).toList();
    }

    /** Returns the columns that a new row must give a value. */
    List<Column> requiredColumns() {
        return table.columns().stream()
                .filter(column ->
                        column.notNull() && definition(column).source().isEmpty())
                .toList();
    }

    boolean isKeyColumn(String name) {
        return table.primaryKey().stream().anyMatch(key -> key.equalsIgnoreCase(name));
    }

    /** Returns whether the key has no columns, so that the table has one row at most. */
    boolean hasOneRow() {
        return table.primaryKey().isEmpty();
    }

    /** Returns whether a key column is nullable, which the engine's primary keys do not support. */
    boolean hasNullableKey() {
        return keyColumns().stream().anyMatch(column -> !column.notNull());
    }

    /** Returns the statement that creates the table in its present form. */
    String ddl(DatabaseDialect dialect) {
        boolean postgres = dialect == DatabaseDialect.POSTGRESQL;
        StringBuilder ddl = new StringBuilder("CREATE TABLE " + shown(definition.name(), postgres) + " (\n");
        for (ColumnDef column : definition.columns()) {
            boolean option = column.allowsCommitTimestamp() && !postgres;
            ddl.append("  %s %s"
                            .formatted(
                                    shown(column.name(), postgres),
                                    column.type().declared()))
                    .append(sourceDdl(column, postgres))
                    .append(option ? " OPTIONS (\n    allow_commit_timestamp = true\n  )" : "")
                    .append(",\n");
        }
        List<String> constraints = constraintsDdl(postgres);
        if (!postgres) {
            constraints.forEach(
                    constraint -> ddl.append("  ").append(constraint).append(",\n"));
        }
        String key = definition.primaryKey().stream()
                .map(part -> shown(part.column(), postgres) + (part.descending() ? " DESC" : ""))
                .collect(Collectors.joining(", "));
        if (postgres) {
            ddl.append("  PRIMARY KEY(").append(key).append(")");
            constraints.forEach(constraint -> ddl.append(",\n  ").append(constraint));
            ddl.append("\n)");
        } else {
            ddl.append(") PRIMARY KEY(").append(key).append(")");
        }
        definition
                .parent()
                .ifPresent(parent -> ddl.append(postgres ? " INTERLEAVE IN " : ",\n  INTERLEAVE IN ")
                        .append(parent.enforced() ? "PARENT " : "")
                        .append(shown(parent.table(), postgres))
                        .append(
                                parent.deleteCascades()
                                        ? " ON DELETE CASCADE"
                                        : parent.enforced() && !postgres ? " ON DELETE NO ACTION" : ""));
        definition
                .deletionPolicy()
                .ifPresent(policy -> ddl.append(postgres ? " " : ", ").append(policy.declared()));
        return ddl.toString();
    }

    private static String sourceDdl(ColumnDef column, boolean postgres) {
        String notNull = column.notNull() ? " NOT NULL" : "";
        String source = column.source()
                .map(found -> switch (found) {
                    case DefaultValue value ->
                        postgres ? " DEFAULT " + value.expression() : " DEFAULT (" + value.expression() + ")";
                    case GeneratedColumn generated -> generatedDdl(generated, postgres);
                    case IdentityColumn identity -> {
                        String clauses = identity.options().clauses(postgres);
                        yield " GENERATED BY DEFAULT AS IDENTITY" + (clauses.isEmpty() ? "" : " (" + clauses + ")");
                    }
                })
                .orElse("");
        return postgres ? source + notNull : notNull + source;
    }

    private static String generatedDdl(GeneratedColumn generated, boolean postgres) {
        return (postgres ? " GENERATED ALWAYS AS (" : " AS (") + generated.expression() + ")"
                + (generated.stored() ? " STORED" : postgres ? " VIRTUAL" : "");
    }

    /** Returns the clauses of the constraints, foreign keys first. */
    private List<String> constraintsDdl(boolean postgres) {
        List<String> clauses = new ArrayList<>();
        for (ForeignKey key : foreignKeys()) {
            clauses.add("%sFOREIGN KEY%s(%s) REFERENCES %s(%s)%s%s"
                    .formatted(
                            constraintName(key, postgres),
                            postgres ? " " : "",
                            shown(key.columns(), postgres),
                            shown(key.referencedTable(), postgres),
                            shown(key.referencedColumns(), postgres),
                            key.deleteCascades() ? " ON DELETE CASCADE" : "",
                            key.enforced() ? "" : " NOT ENFORCED"));
        }
        for (CheckConstraint check : checks()) {
            clauses.add(constraintName(check, postgres) + "CHECK(" + check.expression() + ")");
        }
        return clauses;
    }

    private static String constraintName(Constraint constraint, boolean postgres) {
        return constraint.isNamed() ? "CONSTRAINT " + shown(constraint.name(), postgres) + " " : "";
    }

    private static String shown(List<String> names, boolean postgres) {
        return names.stream().map(name -> shown(name, postgres)).collect(Collectors.joining(", "));
    }

    /** Returns a name in the form that DDL shows; PostgreSQL quotes names that it would fold. */
    static String shown(String name, boolean postgres) {
        return !postgres
                ? name
                : Arrays.stream(name.split("\\."))
                        .map(part -> part.matches("[a-z_][a-z0-9_]*") ? part : "\"" + part + "\"")
                        .collect(Collectors.joining("."));
    }
}
