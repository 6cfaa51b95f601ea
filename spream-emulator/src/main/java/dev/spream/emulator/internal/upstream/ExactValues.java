package dev.spream.emulator.internal.upstream;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import com.google.protobuf.ListValue;
import com.google.protobuf.Value;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.RowChange.Kind;
import dev.spream.emulator.internal.sql.Values;
import dev.spream.emulator.internal.upstream.UpstreamRecord.Mod;
import io.grpc.StatusRuntimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Replaces the values that Google's emulator records inexactly by those of the table at the commit: timestamps lose their
 * fractions there, commit timestamps are placeholders, and numbers and arrays are changed by their text. Safe for use by
 * many threads.
 */
final class ExactValues {
    private static final Set<TypeCode> EXACT = Set.of(
            TypeCode.BOOL,
            TypeCode.INT64,
            TypeCode.STRING,
            TypeCode.BYTES,
            TypeCode.DATE,
            TypeCode.NUMERIC,
            TypeCode.UUID);
    private static final String PLACEHOLDER = "9999-12-31T23:59:59";
    private static final String KEY_COLUMNS =
            "select column_name from information_schema.index_columns where table_schema ="
                    + " %1$s and table_name = %2$s and index_type = 'PRIMARY_KEY' order by ordinal_position";

    private final UpstreamClient client;
    private final boolean postgres;
    private final Map<String, List<String>> keyOrders = new ConcurrentHashMap<>();

    ExactValues(UpstreamClient client, boolean postgres) {
        this.client = client;
        this.postgres = postgres;
    }

    /** Forgets the tables, which a DDL statement may have changed. */
    void forgetTables() {
        keyOrders.clear();
    }

    /** Returns the key columns in the order of the primary key; in declared order if the table does not exist any more. */
    List<String> keyOrder(UpstreamRecord record) {
        List<String> order = keyOrders.computeIfAbsent(record.tableName(), this::primaryKey);
        return Set.copyOf(order).equals(Set.copyOf(record.keys())) ? order : record.keys();
    }

    private List<String> primaryKey(String table) {
        int dot = table.lastIndexOf('.');
        String schema = dot < 0 ? (postgres ? "public" : "") : table.substring(0, dot);
        String sql = postgres ? KEY_COLUMNS.formatted("$1", "$2") : KEY_COLUMNS.formatted("@p1", "@p2");
        return client.strings(sql, Map.of("p1", schema, "p2", table.substring(dot + 1))).stream()
                .map(List::getFirst)
                .toList();
    }

    /** Returns the record with exact values, as far as the table still has them. */
    UpstreamRecord of(UpstreamRecord record) {
        if (record.columns().stream()
                .allMatch(column -> EXACT.contains(column.type().getCode()))) {
            return record;
        }
        Instant commit = record.commitTimestamp();
        Map<ListValue, Map<String, Value>> after = record.kind() == Kind.DELETE ? Map.of() : rows(record, commit);
        Map<ListValue, Map<String, Value>> before =
                record.kind() == Kind.INSERT ? Map.of() : rows(record, commit.minus(1, ChronoUnit.MICROS));
        List<String> keyOrder = keyOrder(record);
        Set<String> timestamps = record.columns().stream()
                .filter(column -> column.type().getCode() == TypeCode.TIMESTAMP)
                .map(Column::name)
                .collect(toSet());
        return record.with(record.mods().stream()
                .map(mod -> {
                    ListValue key = key(mod, keyOrder);
                    return new Mod(
                            exact(mod.before(), before.getOrDefault(key, Map.of()), timestamps, commit),
                            exact(mod.after(), after.getOrDefault(key, Map.of()), timestamps, commit),
                            mod.written());
                })
                .toList());
    }

    private Map<ListValue, Map<String, Value>> rows(UpstreamRecord record, Instant timestamp) {
        List<String> names = record.columns().stream().map(Column::name).toList();
        List<String> keyOrder = keyOrder(record);
        List<ListValue> keys =
                record.mods().stream().map(mod -> key(mod, keyOrder)).distinct().toList();
        try {
            return client.rows(record.tableName(), names, keys, timestamp).stream()
                    .map(values -> row(record.columns(), values))
                    .collect(toMap(row -> key(row, keyOrder), row -> row, (a, b) -> a));
        } catch (StatusRuntimeException e) {
            return switch (e.getStatus().getCode()) {
                // The table or a column has been dropped since, or the rows of that time are not kept any more.
                case NOT_FOUND, INVALID_ARGUMENT, FAILED_PRECONDITION -> Map.of();
                default -> throw e;
            };
        }
    }

    private static Map<String, Value> row(List<Column> columns, List<Value> values) {
        Map<String, Value> row = new LinkedHashMap<>();
        for (int i = 0; i < columns.size(); i++) {
            row.put(
                    columns.get(i).name(),
                    withFractions(values.get(i), columns.get(i).type()));
        }
        return row;
    }

    /** Returns a timestamp with three, six or nine digits of its fraction, as records have them; other values as they are. */
    private static Value withFractions(Value value, Type type) {
        if (type.getCode() == TypeCode.TIMESTAMP && value.hasStringValue()) {
            return Values.string(
                    OffsetDateTime.parse(value.getStringValue()).toInstant().toString());
        }
        if (type.getCode() == TypeCode.ARRAY && value.hasListValue()) {
            return Values.list(value.getListValue().getValuesList().stream()
                    .map(element -> withFractions(element, type.getArrayElementType()))
                    .toList());
        }
        return value;
    }

    private static ListValue key(Mod mod, List<String> keyOrder) {
        return key(mod.after().isEmpty() ? mod.before() : mod.after(), keyOrder);
    }

    private static ListValue key(Map<String, Value> row, List<String> keyOrder) {
        ListValue.Builder key = ListValue.newBuilder();
        keyOrder.forEach(column -> key.addValues(row.getOrDefault(column, Values.NULL)));
        return key.build();
    }

    /** Returns the stored values, and where there are none the recorded ones, with the commit for its placeholder. */
    static Map<String, Value> exact(
            Map<String, Value> recorded, Map<String, Value> stored, Set<String> timestamps, Instant commit) {
        Map<String, Value> exact = new LinkedHashMap<>();
        recorded.forEach((column, value) -> {
            boolean placeholder =
                    timestamps.contains(column) && value.getStringValue().startsWith(PLACEHOLDER);
            exact.put(column, stored.getOrDefault(column, placeholder ? Values.string(commit.toString()) : value));
        });
        return exact;
    }
}
