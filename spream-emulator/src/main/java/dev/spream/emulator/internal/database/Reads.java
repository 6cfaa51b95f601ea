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
 * The rows and tables that a transaction has read: a change of one of them by another transaction would have changed its
 * results. Confined to one thread at a time.
 */
final class Reads {
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

    static Reads none() {
        return new Reads();
    }

    /** Returns what a query or a DML statement reads; a view stands for all tables. */
    static Reads of(StatementReads statement, Schema schema) {
        Reads reads = new Reads();
        for (String name : statement.tables()) {
            reads.everything |= schema.findView(name).isPresent();
            schema.findTable(name).ifPresent(table -> {
                Optional<RowKey> row = rowOf(table, statement);
                row.ifPresentOrElse(reads::add, () -> reads.addTable(table.name()));
            });
        }
        return reads;
    }

    private static Optional<RowKey> rowOf(StoredTable table, StatementReads statement) {
        List<Value> key = new ArrayList<>();
        for (Column column : table.keyColumns()) {
            statement
                    .equal(column.name(), column.type())
                    .flatMap(value -> canonical(value, column))
                    .ifPresent(key::add);
        }
        boolean complete = key.size() == table.keyColumns().size()
                && !statement.equalities().isEmpty();
        return complete ? Optional.of(new RowKey(table.name(), key)) : Optional.empty();
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
