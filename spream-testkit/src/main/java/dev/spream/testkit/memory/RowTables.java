package dev.spream.testkit.memory;

import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The tables of the read models. Guarded by its memory. */
final class RowTables {
    private final Map<String, Map<String, Object>> committed = new HashMap<>();

    Map<String, Object> table(String name) {
        return committed.getOrDefault(name, Map.of());
    }

    Optional<?> get(Transaction transaction, String table, String key) {
        Optional<?> written =
                transaction.open.written.getOrDefault(table, Map.of()).get(key);
        return written == null ? Optional.ofNullable(table(table).get(key)) : written;
    }

    void write(Transaction transaction, String table, String key, Optional<?> row) {
        transaction
                .open
                .written
                .computeIfAbsent(table, first -> new HashMap<>())
                .put(key, row);
    }

    /** Moves the rows of a table to another, empty place. */
    void move(String from, String to) {
        Map<String, Object> rows = committed.remove(from);
        if (rows != null) {
            committed.put(to, rows);
        }
    }

    void drop(String name) {
        committed.remove(name);
    }

    void commit(Transaction transaction) {
        transaction.open.written.forEach((name, rows) -> {
            Map<String, Object> table = committed.computeIfAbsent(name, first -> new HashMap<>());
            rows.forEach((key, row) -> row.ifPresentOrElse(value -> table.put(key, value), () -> table.remove(key)));
        });
    }
}
