package dev.spream.storage.jdbc.mirror;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The changes of the rows of one table, where the changes of each key are folded in their order into one with the same
 * result. Confined to the call that folds them.
 */
final class FoldedRows {
    private static final Logger log = LoggerFactory.getLogger(FoldedRows.class);
    private static final SpannerType UNKNOWN = SpannerType.of(TypeCode.UNKNOWN);

    /** The columns for which a loss of digits was already logged. */
    private static final Set<String> cut = ConcurrentHashMap.newKeySet();

    private final TargetTable table;
    private final List<String> keyColumns;
    private final Map<List<@Nullable String>, FoldedRow> rows = new HashMap<>();
    private List<ColumnType> lastColumns = List.of();
    private Map<String, SpannerType> lastTypes = Map.of();

    FoldedRows(TargetTable table, List<String> keyColumns) {
        this.table = table;
        this.keyColumns = keyColumns;
    }

    TargetTable table() {
        return table;
    }

    List<String> keyColumns() {
        return keyColumns;
    }

    /** Returns the rows by key, a value for each key column. */
    Map<List<@Nullable String>, FoldedRow> rows() {
        return Collections.unmodifiableMap(rows);
    }

    /** @throws NonRetryableException if the table cannot hold the values of the change */
    void add(DataChangeRecord change) {
        Map<String, SpannerType> types = types(change.columnTypes());
        for (Mod mod : change.mods()) {
            FoldedRow row = rows.computeIfAbsent(key(change, mod, types), key -> new FoldedRow());
            switch (change.modType()) {
                case INSERT, UPDATE -> row.write(values(change, mod.newValues(), types));
                case DELETE -> row.delete();
                case UNKNOWN ->
                    throw new NonRetryableException(
                            "the change %s of table %s has the unknown type '%s'; use a newer version of spream"
                                    .formatted(change.identity(), table.name(), change.modTypeName()));
            }
        }
    }

    /** Returns the types by column; consecutive changes usually have the same columns. */
    private Map<String, SpannerType> types(List<ColumnType> columns) {
        if (!columns.equals(lastColumns)) {
            lastTypes = columns.stream().collect(Collectors.toMap(ColumnType::name, ColumnType::type, (a, b) -> b));
            lastColumns = columns;
        }
        return lastTypes;
    }

    private List<@Nullable String> key(DataChangeRecord change, Mod mod, Map<String, SpannerType> types) {
        List<@Nullable String> key = new ArrayList<>(keyColumns.size());
        for (String column : keyColumns) {
            SpannerType type = types.getOrDefault(column, UNKNOWN);
            if (ValueText.isCut(mod.keys().get(column), type, table.column(column))) {
                throw rejected(
                        change,
                        column,
                        "is part of the primary key and would lose digits beyond microseconds; change its type to text");
            }
            key.add(text(change, mod.keys().get(column), type, column));
        }
        if (key.contains(null)) {
            requireNullKeys(change);
        }
        return key;
    }

    private void requireNullKeys(DataChangeRecord change) {
        if (!table.uniqueKey(Set.copyOf(keyColumns)).orElseThrow().takesNull()) {
            throw new NonRetryableException(
                    "the change %s has a NULL in its primary key, for which table %s has no unique key; on PostgreSQL 15 or newer, drop its primary key and its columns' NOT NULL, and create a unique index on (%s) with NULLS NOT DISTINCT"
                            .formatted(change.identity(), table.name(), TableDdl.columnList(keyColumns)));
        }
    }

    private SortedMap<String, @Nullable String> values(
            DataChangeRecord change, JsonObject newValues, Map<String, SpannerType> types) {
        SortedMap<String, @Nullable String> values = new TreeMap<>();
        newValues.members().forEach((column, value) -> {
            SpannerType type = types.getOrDefault(column, UNKNOWN);
            if (!table.column(column).isGenerated()) {
                values.put(column, text(change, value, type, column));
                if (ValueText.isCut(value, type, table.column(column))) {
                    warnCut(column);
                }
            }
        });
        return values;
    }

    private @Nullable String text(DataChangeRecord change, @Nullable Object value, SpannerType type, String column) {
        try {
            return ValueText.of(value, type, table.column(column));
        } catch (IllegalArgumentException e) {
            throw rejected(change, column, "cannot hold the value: " + e.getMessage());
        }
    }

    private NonRetryableException rejected(DataChangeRecord change, String column, String why) {
        return new NonRetryableException("the change %s cannot be mirrored: column %s of table %s %s"
                .formatted(change.identity(), TableName.quoted(column), table.name(), why));
    }

    private void warnCut(String column) {
        if (cut.add(table.name() + "." + column)) {
            log.warn(
                    "column {} of table {} has microseconds, but its values in Spanner have more digits, which are truncated; change the type of the column to text to keep them",
                    TableName.quoted(column),
                    table.name());
        }
    }
}
