package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;

import com.google.protobuf.ListValue;
import com.google.spanner.v1.KeyRange;
import com.google.spanner.v1.KeySet;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.Values;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A key set as a condition in the engine's SQL. A range bound is a prefix of the key: keys that start with a closed
 * bound are inside, those that start with an open one outside. NULL sorts before every value.
 */
final class KeyPredicate {
    private final List<Part> key;
    private final StringBuilder sql = new StringBuilder();
    private final List<@Nullable Object> binds = new ArrayList<>();

    record Part(Column column, boolean descending) {
        String name() {
            return quoted(column.name());
        }
    }

    KeyPredicate(List<Part> key, KeySet keys) {
        this.key = key;
        if (keys.getAll()) {
            sql.append("TRUE");
            return;
        }
        boolean single = key.size() == 1 && keys.getKeysCount() > 1 && !key.getFirst().descending;
        if (single) {
            oneColumnPoints(keys);
        } else {
            keys.getKeysList().forEach(point -> alternative(() -> point(point)));
        }
        keys.getRangesList().forEach(range -> alternative(() -> range(range)));
        if (sql.isEmpty()) {
            sql.append("FALSE");
        }
    }

    String sql() {
        return sql.toString();
    }

    List<@Nullable Object> binds() {
        return Collections.unmodifiableList(binds);
    }

    private void alternative(Runnable condition) {
        sql.append(sql.isEmpty() ? "(" : " OR (");
        condition.run();
        sql.append(')');
    }

    private void oneColumnPoints(KeySet keys) {
        List<Object> points = new ArrayList<>();
        for (ListValue point : keys.getKeysList()) {
            Object value = value(point, 0);
            if (value == null) {
                alternative(() -> sql.append(key.getFirst().name()).append(" IS NULL"));
            } else {
                points.add(value);
            }
        }
        alternative(() -> {
            sql.append(key.getFirst().name()).append(" = ANY(?)");
            binds.add(points.toArray());
        });
    }

    private @Nullable Object value(ListValue values, int index) {
        return Values.toEngine(values.getValues(index), key.get(index).column().type());
    }

    private void point(ListValue point) {
        if (point.getValuesCount() > key.size()) {
            throw wrongKey(point);
        }
        if (point.getValuesCount() == 0) {
            sql.append("TRUE");
        }
        for (int i = 0; i < point.getValuesCount(); i++) {
            sql.append(i == 0 ? "" : " AND ");
            equal(i, value(point, i));
        }
    }

    private RuntimeException wrongKey(ListValue point) {
        return Errors.failedPrecondition(
                "Wrong number of key parts: expected at most %d, got %d", key.size(), point.getValuesCount());
    }

    private void equal(int index, @Nullable Object value) {
        sql.append(key.get(index).name()).append(value == null ? " IS NULL" : " = ?");
        if (value != null) {
            binds.add(value);
        }
    }

    private void range(KeyRange range) {
        boolean startClosed = range.hasStartClosed();
        boolean endClosed = range.hasEndClosed();
        ListValue start = startClosed ? range.getStartClosed() : range.getStartOpen();
        ListValue end = endClosed ? range.getEndClosed() : range.getEndOpen();
        bound(start, startClosed, true);
        sql.append(" AND ");
        bound(end, endClosed, false);
    }

    private void bound(ListValue bound, boolean closed, boolean lower) {
        if (bound.getValuesCount() > key.size()) {
            throw wrongKey(bound);
        }
        if (bound.getValuesCount() == 0) {
            sql.append(closed ? "TRUE" : "FALSE");
            return;
        }
        bound(bound, 0, closed, lower);
    }

    /**
     * Appends the condition "beyond the bound in column {@code index}, or equal in it and beyond the bound in later
     * columns".
     */
    private void bound(ListValue bound, int index, boolean closed, boolean lower) {
        Object value = value(bound, index);
        boolean last = index == bound.getValuesCount() - 1;
        boolean greater = lower != key.get(index).descending;
        if (index == 0 && value != null && key.getFirst().column().notNull()) {
            // implied by the rest; the engine searches its index by it
            sql.append(key.getFirst().name()).append(greater ? " >= ? AND " : " <= ? AND ");
            binds.add(value);
        }
        sql.append('(');
        beyond(index, value, greater);
        if (!last || closed) {
            sql.append(" OR ");
            equal(index, value);
        }
        if (!last) {
            sql.append(" AND ");
            bound(bound, index + 1, closed, lower);
        }
        sql.append(')');
    }

    private void beyond(int index, @Nullable Object value, boolean greater) {
        Part part = key.get(index);
        if (value == null) {
            sql.append(greater ? part.name() + " IS NOT NULL" : "FALSE");
            return;
        }
        sql.append(part.name()).append(greater ? " > ?" : " < ?");
        binds.add(value);
        if (!greater && !part.column().notNull()) {
            sql.append(" OR ").append(part.name()).append(" IS NULL");
        }
    }
}
