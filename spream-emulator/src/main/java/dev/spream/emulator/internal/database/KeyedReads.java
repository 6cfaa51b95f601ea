package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;

import com.google.spanner.v1.ReadRequest;
import dev.spream.emulator.internal.sql.DdlStatement.CreateIndex;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import dev.spream.emulator.internal.sql.Errors;
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
        String columns = read.getColumnsList().stream()
                .map(column -> quoted(table.column(column).name()))
                .collect(Collectors.joining(", "));
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
        return statements.query(connection, sql, predicate.binds());
    }

    private static List<KeyPart> order(Schema schema, StoredTable table, String index) {
        if (index.isEmpty()) {
            return table.definition().primaryKey();
        }
        CreateIndex found = schema.findIndex(index)
                .filter(candidate -> candidate.table().equalsIgnoreCase(table.name()))
                .orElseThrow(() -> Errors.notFound("Index not found on table %s: %s", table.name(), index));
        return schema.orderOf(found);
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
