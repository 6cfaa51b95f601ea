package dev.spream.emulator.internal.database;

import com.google.spanner.v1.Type;
import dev.spream.emulator.internal.sql.DdlStatement.CreateView;
import java.util.List;
import java.util.Optional;

/** A view, with the columns of its query. */
record DefinedView(CreateView definition, List<ViewColumn> columns) {

    record ViewColumn(String name, Type type) {}

    String name() {
        return definition.name();
    }

    Optional<Type> columnType(String name) {
        return columns.stream()
                .filter(column -> column.name().equalsIgnoreCase(name))
                .map(ViewColumn::type)
                .findFirst();
    }

    String ddl(boolean postgres) {
        return "CREATE VIEW %s SQL SECURITY %s AS %s"
                .formatted(StoredTable.shown(name(), postgres), security(), definition.query());
    }

    String security() {
        return definition.definer() ? "DEFINER" : "INVOKER";
    }
}
