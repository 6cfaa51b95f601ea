package dev.spream.storage.jdbc.table;

import dev.spream.projection.event.EventEnvelope;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A column of a projected table. Immutable.
 *
 * @param value the value of an entry; null if the entry does not change the column
 */
record ProjectedColumn<E, V>(
        String name, SqlType<V> type, BiFunction<? super E, EventEnvelope, ? extends @Nullable V> value, Rule<V> rule) {

    /**
     * The combination of the values of a column.
     *
     * @param merge the value of two entries, of which the second is the later one
     * @param update the same in SQL, of {@code stored.%1$s} and {@code excluded.%1$s}
     * @param initial the value of a row that no entry has changed, in SQL
     * @param ordered whether the result depends on the order of the events
     */
    record Rule<V>(BinaryOperator<V> merge, String update, Optional<String> initial, boolean ordered) {

        /** All entries of a row have the same value. */
        static <V> Rule<V> key() {
            return new Rule<>((before, later) -> later, "", Optional.empty(), false);
        }

        static <V> Rule<V> sum(BinaryOperator<V> plus) {
            return new Rule<>(plus, "stored.%1$s + excluded.%1$s", Optional.of("0"), false);
        }

        static <V> Rule<V> latest() {
            return new Rule<>((before, later) -> later, "coalesce(excluded.%1$s, stored.%1$s)", Optional.empty(), true);
        }

        /** @param function the SQL function, which ignores nulls */
        static <V> Rule<V> extreme(BinaryOperator<V> merge, String function) {
            return new Rule<>(merge, function + "(stored.%1$s, excluded.%1$s)", Optional.empty(), false);
        }
    }

    Cell<E, V> cell() {
        return new Cell<>(this);
    }

    /** The value of a column in a row. Confined to one thread. */
    static final class Cell<E, V> {
        private final ProjectedColumn<E, V> column;
        private @Nullable V value;

        private Cell(ProjectedColumn<E, V> column) {
            this.column = column;
        }

        void add(E entry, EventEnvelope envelope) {
            V before = value;
            V next = column.value.apply(entry, envelope);
            if (next != null) {
                value = before == null ? next : column.rule.merge().apply(before, next);
            }
        }

        /** Returns the value as text that PostgreSQL reads; null if no entry has one. */
        @Nullable
        String text() {
            return value == null ? null : value.toString();
        }
    }
}
