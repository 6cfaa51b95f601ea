package dev.spream.emulator.internal.database;

import com.google.protobuf.Value;
import dev.spream.emulator.internal.engine.RowCapture.RowEvent;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.schema.RowKey;
import dev.spream.emulator.internal.schema.Table;
import dev.spream.emulator.internal.sql.DdlStatement.CreateIndex;
import dev.spream.emulator.internal.sql.DdlStatement.ForeignKey;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Values;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The rows that a transaction has changed so far; several writes of one row are merged. */
final class RowChanges {
    private final Map<RowKey, Merged> rows = new LinkedHashMap<>();

    /**
     * A row; a null image means that the row did not exist before, or does not exist after.
     *
     * @param deleted whether the transaction deleted the row that was there before; one of the same key is then new
     */
    private record Merged(
            Table table,
            @Nullable Map<String, Value> before,
            @Nullable Map<String, Value> after,
            Set<String> written,
            boolean deleted) {}

    /** Returns the number of cells written; a deleted row counts as one. */
    long cellCount() {
        return rows.values().stream()
                .mapToLong(row -> row.after == null ? 1 : row.written.size())
                .sum();
    }

    boolean areAny() {
        return !rows.isEmpty();
    }

    /** Adds the row changes of one statement; {@code written} are the columns that it named, empty for all. */
    void add(List<RowEvent> events, Schema schema, Set<String> written) {
        for (RowEvent event : events) {
            StoredTable table = schema.table(event.table());
            Map<String, Value> before = image(table, event.before());
            Map<String, Value> after = image(table, event.after());
            Map<String, Value> present = after == null ? Objects.requireNonNull(before) : after;
            RowKey key = RowKey.of(table.table(), present);
            Merged known = rows.get(key);
            boolean rewritten = known != null && known.after == null;
            Set<String> columns = new LinkedHashSet<>(known == null ? Set.of() : known.written);
            columns.addAll(rewritten ? named(table, Set.of()) : named(table, written));
            boolean deleted = (known != null && known.deleted) || after == null;
            rows.put(key, new Merged(table.table(), known == null ? before : known.before, after, columns, deleted));
        }
    }

    /** Returns the unique keys that a change adds or removes; one of an index has the index's name for a table's. */
    static Set<RowKey> uniqueKeys(RowEvent change, Schema schema) {
        Set<RowKey> keys = new LinkedHashSet<>();
        for (UniqueKey key : UniqueKey.of(schema.table(change.table()), schema)) {
            Optional<RowKey> before = key(key, change.before());
            Optional<RowKey> after = key(key, change.after());
            if (!before.equals(after)) {
                before.ifPresent(keys::add);
                after.ifPresent(keys::add);
            }
        }
        return keys;
    }

    private static Optional<RowKey> key(UniqueKey key, @Nullable List<@Nullable Object> row) {
        if (row == null) {
            return Optional.empty();
        }
        List<Value> values = key.columns().stream()
                .map(column -> Values.fromEngine(row.get(column.ordinalPosition() - 1), column.type()))
                .toList();
        return key.nullsDistinct() && values.contains(Values.NULL)
                ? Optional.empty()
                : Optional.of(new RowKey(key.name(), values));
    }

    private static @Nullable Map<String, Value> image(StoredTable table, @Nullable List<@Nullable Object> values) {
        if (values == null) {
            return null;
        }
        Map<String, Value> image = new LinkedHashMap<>();
        for (Column column : table.table().columns()) {
            image.put(column.name(), Values.fromEngine(values.get(column.ordinalPosition() - 1), column.type()));
        }
        return image;
    }

    private static Set<String> named(StoredTable table, Set<String> written) {
        Set<String> lower =
                written.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
        return table.table().columns().stream()
                .map(Column::name)
                .filter(name ->
                        written.isEmpty() || lower.contains(name.toLowerCase(Locale.ROOT)) || table.isKeyColumn(name))
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** Throws FAILED_PRECONDITION if a column that may have the commit timestamp has a later time than that. */
    void refuseFutureTimestamps(Instant now) {
        for (Merged row : rows.values()) {
            Map<String, Value> after = row.after == null ? Map.of() : row.after;
            for (Column column : row.table.columns()) {
                Value value = after.getOrDefault(column.name(), Values.NULL);
                if (column.allowsCommitTimestamp()
                        && row.written.contains(column.name())
                        && value.hasStringValue()
                        && !value.getStringValue().equals(Values.COMMIT_TIMESTAMP_PLACEHOLDER)
                        && Instant.parse(value.getStringValue()).isAfter(now)) {
                    throw Errors.failedPrecondition(
                            "Cannot write timestamps in the future, found: %s",
                            value.getStringValue().replaceFirst("Z$", "+00:00"));
                }
            }
        }
    }

    /** Returns the keys that identify the rows that were written. */
    Set<RowKey> rowKeys() {
        return rows.keySet();
    }

    /**
     * Returns the net changes, in the order of each row's first write. A row that was inserted and deleted again has
     * none; one that was deleted and inserted again has both, as by a REPLACE.
     *
     * @see <a href="https://github.com/GoogleCloudPlatform/cloud-spanner-emulator/blob/master/tests/conformance/cases/change_streams_read_write.cc">SingleReplaceExistingRow</a>
     */
    List<RowChange> net() {
        List<RowChange> changes = new ArrayList<>();
        for (Merged row : rows.values()) {
            boolean updated = row.before != null && row.after != null && !row.deleted;
            if (row.before != null && !updated) {
                changes.add(new RowChange(row.table, RowChange.Kind.DELETE, row.before, Map.of(), row.written));
            }
            if (row.after != null) {
                changes.add(
                        updated && row.before != null
                                ? new RowChange(row.table, RowChange.Kind.UPDATE, row.before, row.after, row.written)
                                : new RowChange(row.table, RowChange.Kind.INSERT, Map.of(), row.after, row.written));
            }
        }
        return changes;
    }

    /**
     * A key that no two rows of a table share.
     *
     * @param nullsDistinct whether rows with a NULL in it do not have it
     */
    private record UniqueKey(String name, List<Column> columns, boolean nullsDistinct) {

        /** Returns the unique keys of a table: its primary key, its unique indexes, and those that foreign keys refer to. */
        static List<UniqueKey> of(StoredTable table, Schema schema) {
            List<UniqueKey> keys = new ArrayList<>();
            keys.add(new UniqueKey(table.name(), table.keyColumns(), false));
            for (CreateIndex index : schema.indexesOf(table.name())) {
                if (index.unique()) {
                    List<Column> columns = index.parts().stream()
                            .map(part -> table.column(part.column()))
                            .toList();
                    keys.add(new UniqueKey(index.name(), columns, index.nullFiltered()));
                }
            }
            for (StoredTable other : schema.tables()) {
                for (ForeignKey key : other.foreignKeys()) {
                    if (key.referencedTable().equalsIgnoreCase(table.name())) {
                        List<Column> columns = key.referencedColumns().stream()
                                .map(table::column)
                                .toList();
                        keys.add(new UniqueKey(ConstraintEditor.referencedIndex(key), columns, true));
                    }
                }
            }
            return keys;
        }
    }
}
