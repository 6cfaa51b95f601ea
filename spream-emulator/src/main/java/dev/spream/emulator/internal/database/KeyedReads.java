package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;

import com.google.spanner.v1.ReadRequest;
import dev.spream.emulator.internal.sql.DdlStatement.CreateIndex;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.SqlTranslator;
import dev.spream.emulator.internal.sql.Translation;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/** Reads rows by primary key or by an index, in key order. */
record KeyedReads(Statements statements) {
    QueryResult read(Connection connection, Schema schema, ReadRequest read) throws SQLException {
        StoredTable table = schema.table(read.getTable());
        List<KeyPredicate.Part> key = table.parts(order(schema, table, read.getIndex()));
        KeyPredicate predicate = new KeyPredicate(key, read.getKeySet());
        List<String> names = read.getColumnsList().stream()
                .map(column -> table.column(column).name())
                .toList();
        names.forEach(name -> requireInIndex(schema, table, read.getIndex(), name));
        String columns = names.stream().map(SqlTranslator::quoted).collect(Collectors.joining(", "));
        if (columns.isEmpty()) {
            throw Errors.invalidArgument("A read must name at least one column of table %s", table.name());
        }
        String order = key.stream()
                .map(part -> part.name() + (part.descending() ? " DESC NULLS LAST" : " NULLS FIRST"))
                .collect(Collectors.joining(", "));
        String sql = "SELECT %s FROM %s WHERE (%s)%s%s%s"
                .formatted(
                        columns,
                        table.quotedName(),
                        predicate.sql(),
                        nullFilter(schema, read.getIndex()),
                        order.isEmpty() ? "" : " ORDER BY " + order,
                        read.getLimit() > 0 ? " LIMIT " + read.getLimit() : "");
        return statements.query(connection, Translation.query(sql, predicate.binds()));
    }

    private static List<KeyPart> order(Schema schema, StoredTable table, String index) {
        if (index.isEmpty()) {
            return table.definition().primaryKey();
        }
        CreateIndex found = schema.findIndex(index)
                .orElseThrow(() -> Errors.notFound("No index '%s' was found for table '%s'.", index, table.name()));
        if (!found.table().equalsIgnoreCase(table.name())) {
            throw Errors.failedPrecondition(
                    "Index '%s' indexes '%s' which does not match the given base table '%s'.",
                    found.name(), found.table(), table.name());
        }
        return schema.orderOf(found);
    }

    /** A read with an index has the columns of the index, those that it stores, and those of the primary key. */
    private static void requireInIndex(Schema schema, StoredTable table, String index, String column) {
        schema.findIndex(index)
                .filter(found -> !table.isKeyColumn(column)
                        && found.parts().stream()
                                .noneMatch(part -> part.column().equalsIgnoreCase(column))
                        && found.storing().stream().noneMatch(stored -> stored.equalsIgnoreCase(column)))
                .ifPresent(found -> {
                    throw Errors.notFound(
                            "Index '%s' which indexes '%s' does not have a column named %s. Reads with an index can only"
                                    + " query columns present in the index (see"
                                    + " https://cloud.google.com/spanner/docs/secondary-indexes#read-with-index).",
                            found.name(), table.name(), column);
                });
    }

    private static String nullFilter(Schema schema, String index) {
        return schema.findIndex(index)
                .filter(CreateIndex::nullFiltered)
                .map(found -> found.parts().stream()
                        .map(part -> " AND " + quoted(part.column()) + " IS NOT NULL")
                        .collect(Collectors.joining()))
                .orElse("");
    }
}
