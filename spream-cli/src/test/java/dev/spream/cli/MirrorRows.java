package dev.spream.cli;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Struct;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Rows of a table, by key: values as the texts of {@link MirrorType}, arrays as lists of those. */
final class MirrorRows {
    static final Comparator<List<String>> BY_KEY = Comparator.comparing(List::toString);

    /** Stands for a NULL, and is no text that a value has. */
    static final Object NULL = new Object() {
        @Override
        public String toString() {
            return "NULL";
        }
    };

    private static final int SHOWN = 10;

    private MirrorRows() {}

    static List<String> key(MirrorTable table, Map<String, Object> row) {
        return table.key().stream()
                .map(column -> String.valueOf(row.get(column)))
                .toList();
    }

    static Map<List<String>, Map<String, Object>> inSpanner(
            DatabaseClient client, MirrorTable table, boolean postgresDialect) {
        return inSpanner(client.singleUse(), table, postgresDialect);
    }

    /** The rows in one read of Spanner, such as one of the past. */
    static Map<List<String>, Map<String, Object>> inSpanner(
            ReadContext read, MirrorTable table, boolean postgresDialect) {
        Map<List<String>, Map<String, Object>> rows = new TreeMap<>(BY_KEY);
        try (ResultSet result =
                read.read(table.name(), KeySet.all(), table.columns().keySet())) {
            while (result.next()) {
                Map<String, Object> row = row(result.getCurrentRowAsStruct(), table, postgresDialect);
                rows.put(key(table, row), row);
            }
        }
        return rows;
    }

    static Map<String, Object> row(Struct struct, MirrorTable table, boolean postgresDialect) {
        Map<String, Object> row = new TreeMap<>();
        table.columns().forEach((name, column) -> row.put(name, value(struct, name, column, postgresDialect)));
        return row;
    }

    private static Object value(Struct row, String name, MirrorTable.Column column, boolean postgresDialect) {
        Object value = column.array()
                ? column.type().arrayFromSpanner(row, name, postgresDialect)
                : column.type().fromSpanner(row, name, postgresDialect);
        return value == null ? NULL : value;
    }

    /** Returns the first few differences of the mirrored rows; empty if there are none. */
    static List<String> differences(
            MirrorTable table,
            Map<List<String>, Map<String, Object>> original,
            Map<List<String>, Map<String, Object>> mirrored) {
        List<String> differences = new ArrayList<>();
        original.forEach((key, row) -> {
            Map<String, Object> copy = mirrored.get(key);
            if (copy == null) {
                differences.add("%s %s is missing".formatted(table.name(), key));
            } else if (!row.equals(copy)) {
                differences.add("%s %s: %s".formatted(table.name(), key, differentValues(row, copy)));
            }
        });
        mirrored.keySet().stream()
                .filter(key -> !original.containsKey(key))
                .forEach(key -> differences.add("%s %s should not be there".formatted(table.name(), key)));
        return differences.subList(0, Math.min(SHOWN, differences.size()));
    }

    private static List<String> differentValues(Map<String, Object> row, Map<String, Object> copy) {
        return row.keySet().stream()
                .filter(column -> !Objects.equals(row.get(column), copy.get(column)))
                .map(column -> "%s is %s and mirrored %s".formatted(column, row.get(column), copy.get(column)))
                .toList();
    }
}
