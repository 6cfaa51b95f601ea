package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;
import static dev.spream.emulator.internal.sql.SqlTranslator.quotedList;

import dev.spream.emulator.internal.engine.Engine;
import dev.spream.emulator.internal.engine.RowCapture;
import dev.spream.emulator.internal.engine.RowCapture.RowEvent;
import dev.spream.emulator.internal.sql.DdlStatement.ForeignKey;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.ShownKey;
import io.grpc.StatusRuntimeException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Enforces the foreign keys of a schema over the rows that statements changed. A row that refers to nothing is an error
 * at the end of a DML statement, or of the mutations of a commit, not in between.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/foreign-keys/overview">Spanner: foreign keys</a>
 */
record ForeignKeys(Connection connection, Schema schema) {

    /** A foreign key with its two tables. */
    private record Reference(ForeignKey key, StoredTable table, StoredTable referenced) {}

    boolean isEmpty() {
        return schema.tables().stream().allMatch(table -> table.foreignKeys().isEmpty());
    }

    /** Returns the changed rows and those that are deleted with them, by {@code ON DELETE CASCADE}. */
    List<RowEvent> cascaded(List<RowEvent> events) throws SQLException {
        List<RowEvent> all = new ArrayList<>(events);
        if (isEmpty()) {
            return all;
        }
        for (int i = 0; i < all.size(); i++) {
            RowEvent event = all.get(i);
            List<@Nullable Object> before = event.before();
            if (before == null || event.after() != null) {
                continue;
            }
            for (Reference reference : referencesTo(event.table())) {
                if (reference.key().deleteCascades()) {
                    all.addAll(deleteReferencing(
                            reference,
                            values(
                                    before,
                                    reference.referenced(),
                                    reference.key().referencedColumns())));
                }
            }
        }
        return all;
    }

    private List<RowEvent> deleteReferencing(Reference reference, List<@Nullable Object> values) throws SQLException {
        if (values.stream().anyMatch(Objects::isNull)) {
            return List.of();
        }
        String sql = "DELETE FROM %s WHERE %s"
                .formatted(reference.table().quotedName(), equal(reference.key().columns()));
        try (PreparedStatement delete = Statements.prepare(connection, sql, values)) {
            return RowCapture.during(delete::executeUpdate);
        }
    }

    /** Throws FAILED_PRECONDITION if a changed row refers to nothing, or rows refer to one that is gone. */
    void check(List<RowEvent> events) throws SQLException {
        if (isEmpty()) {
            return;
        }
        for (RowEvent event : events) {
            checkReferences(event);
            checkReferenced(event);
        }
    }

    private void checkReferences(RowEvent event) throws SQLException {
        StoredTable table = schema.table(event.table());
        for (ForeignKey key : table.foreignKeys()) {
            List<@Nullable Object> after = event.after() == null ? null : values(event.after(), table, key.columns());
            if (after == null || !key.enforced() || after.stream().anyMatch(Objects::isNull)) {
                continue;
            }
            List<@Nullable Object> before =
                    event.before() == null ? null : values(event.before(), table, key.columns());
            StoredTable referenced = schema.table(key.referencedTable());
            if (!Objects.deepEquals(before, after)
                    && !exists(referenced, key.referencedColumns(), after)
                    && exists(table, key.columns(), after)) {
                throw missing(key, table, after);
            }
        }
    }

    private static StatusRuntimeException missing(ForeignKey key, StoredTable table, List<@Nullable Object> values) {
        return Errors.failedPrecondition(
                "Foreign key `%s` constraint violation on table `%s`. Cannot find referenced key `%s` in table `%s`.",
                key.name(), table.name(), ShownKey.of(values), key.referencedTable());
    }

    private void checkReferenced(RowEvent event) throws SQLException {
        if (event.before() == null) {
            return;
        }
        for (Reference reference : referencesTo(event.table())) {
            ForeignKey key = reference.key();
            StoredTable referenced = reference.referenced();
            List<@Nullable Object> before = values(event.before(), referenced, key.referencedColumns());
            if (before.stream().noneMatch(Objects::isNull)
                    && !exists(referenced, key.referencedColumns(), before)
                    && exists(reference.table(), key.columns(), before)) {
                throw Errors.failedPrecondition(
                        "Foreign key `%s` constraint violation when deleting or updating referenced key `%s` in table `%s`."
                                + " A row with that key exists in the referencing table `%s`.",
                        key.name(),
                        ShownKey.of(before),
                        referenced.name(),
                        reference.table().name());
            }
        }
    }

    private List<Reference> referencesTo(String table) {
        List<Reference> references = new ArrayList<>();
        for (StoredTable other : schema.tables()) {
            other.foreignKeys().stream()
                    .filter(key -> key.enforced() && key.referencedTable().equalsIgnoreCase(table))
                    .forEach(key -> references.add(new Reference(key, other, schema.table(table))));
        }
        return references;
    }

    private boolean exists(StoredTable table, List<String> columns, List<@Nullable Object> values) throws SQLException {
        String sql = "SELECT 1 FROM %s WHERE %s LIMIT 1".formatted(table.quotedName(), equal(columns));
        try (PreparedStatement query = Statements.prepare(connection, sql, values);
                ResultSet rows = query.executeQuery()) {
            return rows.next();
        }
    }

    private static String equal(List<String> columns) {
        return columns.stream().map(column -> quoted(column) + " = ?").collect(Collectors.joining(" AND "));
    }

    private static List<@Nullable Object> values(List<@Nullable Object> row, StoredTable table, List<String> columns) {
        List<@Nullable Object> values = new ArrayList<>();
        columns.forEach(column -> values.add(row.get(table.column(column).ordinalPosition() - 1)));
        return values;
    }

    /** Throws FAILED_PRECONDITION if a row of the table would violate a foreign key to add. */
    static void checkRows(Engine engine, ForeignKey key, StoredTable table, Schema schema) throws SQLException {
        String present = key.columns().stream()
                .map(column -> "C_." + quoted(column) + " IS NOT NULL")
                .collect(Collectors.joining(" AND "));
        List<String> same = new ArrayList<>();
        for (int i = 0; i < key.columns().size(); i++) {
            same.add("P_.%s = C_.%s"
                    .formatted(
                            quoted(key.referencedColumns().get(i)),
                            quoted(key.columns().get(i))));
        }
        String sql = "SELECT %s FROM %s AS C_ WHERE %s AND NOT EXISTS (SELECT 1 FROM %s AS P_ WHERE %s) LIMIT 1"
                .formatted(
                        quotedList(key.columns()),
                        table.quotedName(),
                        present,
                        schema.table(key.referencedTable()).quotedName(),
                        String.join(" AND ", same));
        try (PreparedStatement query = engine.administrator().prepareStatement(sql);
                ResultSet rows = query.executeQuery()) {
            if (rows.next()) {
                List<@Nullable Object> values = new ArrayList<>();
                for (int i = 1; i <= key.columns().size(); i++) {
                    values.add(rows.getObject(i));
                }
                throw missing(key, table, values);
            }
        }
    }
}
