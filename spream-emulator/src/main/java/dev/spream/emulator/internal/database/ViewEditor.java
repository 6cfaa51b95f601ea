package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.database.DefinedView.ViewColumn;
import dev.spream.emulator.internal.engine.Engine;
import dev.spream.emulator.internal.engine.EngineErrors;
import dev.spream.emulator.internal.sql.DdlStatement.CreateView;
import dev.spream.emulator.internal.sql.DdlStatement.DropView;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Privilege.Kind;
import dev.spream.emulator.internal.sql.SqlNames;
import dev.spream.emulator.internal.sql.SqlTranslator;
import dev.spream.emulator.internal.sql.Types;
import io.grpc.StatusRuntimeException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Creates, replaces and drops views, which are views of the engine. Part of a {@link SchemaEditor}. */
record ViewEditor(Engine engine, DatabaseDialect dialect) {

    Schema create(CreateView create, Schema schema) throws SQLException {
        boolean exists = schema.findView(create.name()).isPresent();
        if (exists && create.ifNotExists()) {
            return schema;
        }
        if (schema.isTaken(create.name()) && !(exists && create.replaces())) {
            throw Schema.duplicateName(create.name());
        }
        schema.checkNamedSchemaOf(create.name());
        String where = "Error parsing the definition of view `%s`".formatted(create.name());
        String sql;
        List<ViewColumn> columns;
        try {
            sql = SqlTranslator.expression(create.query(), dialect, schema, false);
            columns = columns(sql);
        } catch (StatusRuntimeException e) {
            throw e.getStatus()
                    .withDescription(where + ": " + e.getStatus().getDescription())
                    .asRuntimeException();
        }
        Schema result = schema.with(new DefinedView(create, columns));
        define(create.name(), sql);
        if (exists) {
            checkDependents(create.name(), schema, result);
        }
        return result;
    }

    private String engineSql(DefinedView view, Schema schema) {
        return engineSql(view, schema, dialect);
    }

    /** Returns the query of a view in the engine's SQL. */
    static String engineSql(DefinedView view, Schema schema, DatabaseDialect dialect) {
        return SqlTranslator.expression(view.definition().query(), dialect, schema, false);
    }

    private void define(String name, String sql) throws SQLException {
        engine.administer("CREATE OR REPLACE FORCE VIEW %s AS %s".formatted(quoted(name), sql));
    }

    /** Defines the views that use a replaced one anew; one that is not valid any more restores all of them. */
    private void checkDependents(String name, Schema before, Schema after) throws SQLException {
        for (DefinedView dependent : dependents(name, after)) {
            try {
                columns(engineSql(dependent, after));
                define(dependent.name(), engineSql(dependent, after));
            } catch (StatusRuntimeException e) {
                define(name, engineSql(before.findView(name).orElseThrow(), before));
                for (DefinedView restored : dependents(name, before)) {
                    define(restored.name(), engineSql(restored, before));
                }
                throw Errors.failedPrecondition(
                        "Cannot alter VIEW `%s`. The new definition causes the definition of VIEW `%s` to become invalid"
                                + " with the following diagnostic message: %s",
                        name, dependent.name(), e.getStatus().getDescription());
            }
        }
    }

    private List<ViewColumn> columns(String sql) {
        try (PreparedStatement query = engine.administrator().prepareStatement(sql)) {
            var metadata = query.getMetaData();
            List<ViewColumn> columns = new ArrayList<>();
            for (int i = 1; i <= metadata.getColumnCount(); i++) {
                String name = Statements.columnName(metadata.getColumnLabel(i), dialect);
                if (name.isEmpty()) {
                    throw Errors.invalidArgument("CREATE VIEW columns must be named, but column %d has no name", i);
                }
                columns.add(new ViewColumn(
                        name,
                        Types.fromEngine(
                                metadata.getColumnTypeName(i),
                                metadata.getPrecision(i),
                                metadata.getScale(i),
                                dialect)));
            }
            return columns;
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        }
    }

    Schema drop(DropView drop, Schema schema) throws SQLException {
        if (schema.findView(drop.name()).isEmpty()) {
            if (drop.ifExists()) {
                return schema;
            }
            throw Errors.notFound("View not found: %s", drop.name());
        }
        checkUnused("VIEW", drop.name(), schema);
        schema.roles().checkUngranted(Kind.VIEW, drop.name());
        schema.roles().checkUngranted(Kind.TABLE, drop.name());
        engine.administer("DROP VIEW " + quoted(drop.name()));
        return schema.withoutView(drop.name());
    }

    void checkUnused(String kind, String name, Schema schema) {
        List<DefinedView> dependents = dependents(name, schema);
        if (!dependents.isEmpty()) {
            throw Errors.failedPrecondition(
                    "Cannot drop %s `%s` on which there are dependent views: %s.", kind, name, names(dependents));
        }
    }

    void checkColumnUnused(String table, String column, Schema schema) {
        List<DefinedView> using = dependents(table, schema).stream()
                .filter(view -> {
                    Set<String> names = SqlNames.namesIn(view.definition().query(), dialect);
                    return names.contains(column.toLowerCase(Locale.ROOT))
                            || view.definition().query().contains("*");
                })
                .toList();
        if (!using.isEmpty()) {
            throw Errors.failedPrecondition(
                    "Cannot drop column `%s` on which there are dependent views: %s.", column, names(using));
        }
    }

    private static String names(List<DefinedView> views) {
        return String.join(", ", views.stream().map(DefinedView::name).toList());
    }

    /** Returns the views whose queries name a table or a view. */
    private List<DefinedView> dependents(String name, Schema schema) {
        String simple = name.substring(name.indexOf('.') + 1).toLowerCase(Locale.ROOT);
        return schema.views().stream()
                .filter(view -> !view.name().equalsIgnoreCase(name))
                .filter(view ->
                        SqlNames.namesIn(view.definition().query(), dialect).contains(simple))
                .toList();
    }
}
