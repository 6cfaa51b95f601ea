package dev.spream.emulator.internal.database;

import com.google.protobuf.ListValue;
import com.google.protobuf.Value;
import com.google.spanner.v1.KeySet;
import com.google.spanner.v1.ReadRequest;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.RowKey;
import dev.spream.emulator.internal.sql.StatementReads;
import dev.spream.emulator.internal.sql.Values;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The reads of a transaction: the rows and tables whose change by another transaction would have changed its
 * results. Confined to one thread at a time.
 */
final class Reads {
    private static final int MAX_ROWS_OF_STATEMENT = 10_000;

    private final Set<RowKey> rows = new HashSet<>();
    private final Set<String> tables = new HashSet<>();
    private boolean everything;

    void add(RowKey row) {
        rows.add(row);
    }

    void addTable(String name) {
        tables.add(name);
    }

    void addTablesNear(StoredTable table, Schema schema) {
        addTable(table.name());
        RowDependencies.tablesNear(table, schema).forEach(this::addTable);
    }

    void add(Reads other) {
        rows.addAll(other.rows);
        tables.addAll(other.tables);
        everything |= other.everything;
    }

    boolean include(RowKey row) {
        return everything || tables.contains(row.table()) || rows.contains(row);
    }

    boolean areNone() {
        return rows.isEmpty() && tables.isEmpty() && !everything;
    }

    /** Returns the row, if it is all that is read. */
    Optional<RowKey> onlyRow() {
        return rows.size() == 1 && tables.isEmpty() && !everything
                ? Optional.of(rows.iterator().next())
                : Optional.empty();
    }

    static Reads none() {
        return new Reads();
    }

    /** Returns what a query or a DML statement reads; a view stands for all tables. */
    static Reads of(StatementReads statement, Schema schema) {
        Reads reads = new Reads();
        for (String name : statement.tables()) {
            reads.everything |= schema.findView(name).isPresent();
            schema.findTable(name).ifPresent(table -> {
                rowsOf(table, statement).ifPresentOrElse(reads.rows::addAll, () -> reads.addTable(table.name()));
            });
        }
        return reads;
    }

    /** Returns the only rows that may be read, if the statement demands values of each key column. */
    private static Optional<List<RowKey>> rowsOf(StoredTable table, StatementReads statement) {
        List<List<Value>> keys = List.of(List.of());
        for (Column column : table.keyColumns()) {
            Optional<List<Value>> values =
                    statement.values(column.name(), column.type()).flatMap(demanded -> canonical(demanded, column));
            if (values.isEmpty() || (long) keys.size() * values.get().size() > MAX_ROWS_OF_STATEMENT) {
                return Optional.empty();
            }
            keys = keys.stream()
                    .flatMap(key -> values.get().stream().map(value -> with(key, value)))
                    .toList();
        }
        return Optional.of(
                keys.stream().map(key -> new RowKey(table.name(), key)).toList());
    }

    private static List<Value> with(List<Value> key, Value value) {
        List<Value> longer = new ArrayList<>(key);
        longer.add(value);
        return longer;
    }

    private static Optional<List<Value>> canonical(List<Value> values, Column column) {
        List<Value> canonical = new ArrayList<>();
        values.forEach(value -> canonical(value, column).ifPresent(canonical::add));
        return canonical.size() == values.size() ? Optional.of(canonical) : Optional.empty();
    }

    /** Returns what a read by keys reads. */
    static Reads of(ReadRequest read, Schema schema) {
        Reads reads = new Reads();
        schema.findTable(read.getTable()).ifPresent(table -> {
            if (read.getIndex().isEmpty()) {
                reads.add(table, read.getKeySet());
            } else {
                reads.addTable(table.name());
            }
        });
        return reads;
    }

    /** Adds the rows with these keys; a range of keys, and a part of a key, stand for the whole table. */
    void add(StoredTable table, KeySet keys) {
        if (keys.getAll() || keys.getRangesCount() > 0) {
            addTable(table.name());
        }
        for (ListValue key : keys.getKeysList()) {
            rowOf(table, key).ifPresentOrElse(this::add, () -> addTable(table.name()));
        }
    }

    private static Optional<RowKey> rowOf(StoredTable table, ListValue key) {
        List<Column> columns = table.keyColumns();
        if (key.getValuesCount() != columns.size()) {
            return Optional.empty();
        }
        List<Value> values = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            canonical(key.getValues(i), columns.get(i)).ifPresent(values::add);
        }
        return values.size() == columns.size() ? Optional.of(new RowKey(table.name(), values)) : Optional.empty();
    }

    /** Returns the value as the table stores it, or empty if it is none of the column's type. */
    private static Optional<Value> canonical(Value value, Column column) {
        try {
            return Optional.of(Values.fromEngine(Values.toEngine(value, column.type()), column.type()));
        } catch (StatusRuntimeException e) {
            return Optional.empty();
        }
    }
}
