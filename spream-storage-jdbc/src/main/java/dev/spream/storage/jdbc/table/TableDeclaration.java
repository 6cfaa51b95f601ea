package dev.spream.storage.jdbc.table;

import static java.util.Objects.requireNonNull;

import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.table.ProjectedColumn.Rule;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of a table: at least one key and one other column, keys first in the table. Functions return the value
 * of an entry for a column, or null if it does not change the column; they have no side effects, and are called by
 * several threads. Names of columns are lower-case identifiers.
 *
 * <p>Confined to one thread.
 *
 * @param <E> an entry
 */
public final class TableDeclaration<E> {
    private static final int MAX_NAME = 63;
    private static final int MAX_DIGITS = 1000;

    final String table;
    final Set<String> types;
    final Predicate<String> handled; // of the types, those whose events are read
    final Function<EventEnvelope, ? extends Collection<? extends E>> entries;
    final List<ProjectedColumn<E, ?>> keys = new ArrayList<>();
    final List<ProjectedColumn<E, ?>> values = new ArrayList<>();
    Predicate<? super E> deletion = entry -> false;
    String name;
    int revision = 1;
    private final Set<String> names = new HashSet<>();
    private boolean byAggregate;
    private boolean deletes;

    TableDeclaration(
            String table,
            Set<String> types,
            Predicate<String> handled,
            Function<EventEnvelope, ? extends Collection<? extends E>> entries) {
        this.table = SchemaName.requireIdentifier("table", table, MAX_NAME);
        this.types = Set.copyOf(types);
        this.handled = handled;
        this.entries = requireNonNull(entries, "entries");
        this.name = table;
    }

    /** Sets the name of the projection; by default that of the table. */
    public TableDeclaration<E> name(String name) {
        this.name = requireNonNull(name, "name");
        return this;
    }

    /** Sets the {@linkplain dev.spream.projection.Projection#revision() revision}; 1 by default. */
    public TableDeclaration<E> revision(int revision) {
        this.revision = revision;
        return this;
    }

    /** Adds a key column of text with the id of the event's aggregate. */
    public TableDeclaration<E> key(String column) {
        byAggregate = true;
        return key(column, SqlType.TEXT, (entry, event) -> event.aggregateId());
    }

    /** Adds a key column of text. */
    public TableDeclaration<E> key(String column, Function<? super E, String> value) {
        return key(column, SqlType.TEXT, value);
    }

    /** Adds a key column; an event without a value for it parks its aggregate. */
    public <V> TableDeclaration<E> key(String column, SqlType<V> type, Function<? super E, V> value) {
        return key(column, type, (entry, event) -> value.apply(entry));
    }

    private <V> TableDeclaration<E> key(String column, SqlType<V> type, BiFunction<? super E, EventEnvelope, V> value) {
        keys.add(new ProjectedColumn<>(
                column(column), type, (entry, event) -> type.key(value.apply(entry, event)), Rule.key()));
        return this;
    }

    /**
     * Adds a column of type {@code bigint} with a sum, from 0. A sum that does not fit fails, and parks the aggregate of
     * the event.
     */
    public TableDeclaration<E> sum(String column, ToLongFunction<? super E> value) {
        return value(column, SqlType.BIGINT, value::applyAsLong, Rule.sum(Math::addExact));
    }

    /**
     * Adds a column of type {@code numeric} with a sum, from 0. A number with more than 1,000 digits before or
     * after the point parks the aggregate of the event.
     */
    public TableDeclaration<E> sumNumeric(String column, Function<? super E, ? extends @Nullable BigDecimal> value) {
        values.add(new ProjectedColumn<>(
                column(column),
                SqlType.NUMERIC,
                (entry, event) -> limited(column, value.apply(entry), event),
                Rule.sum(BigDecimal::add)));
        return this;
    }

    private static @Nullable BigDecimal limited(String column, @Nullable BigDecimal value, EventEnvelope event) {
        if (value != null && (value.scale() > MAX_DIGITS || (long) value.precision() - value.scale() > MAX_DIGITS)) {
            throw new ProjectionException(
                    FailureKind.POISON,
                    "%s has a number for the column '%s' with more than %d digits before or after the point"
                            .formatted(event, column, MAX_DIGITS),
                    null);
        }
        return value;
    }

    /** Adds a column of type {@code bigint} with the number of entries. */
    public TableDeclaration<E> count(String column) {
        return sum(column, entry -> 1);
    }

    /** Adds a column with the lowest value, of a type that is not text, boolean or UUID. */
    public <V> TableDeclaration<E> min(
            String column, SqlType<V> type, Function<? super E, ? extends @Nullable V> value) {
        return value(column, type, value, Rule.extreme(BinaryOperator.minBy(order(column, type)), "least"));
    }

    /** Adds a column with the highest value, of a type that is not text, boolean or UUID. */
    public <V> TableDeclaration<E> max(
            String column, SqlType<V> type, Function<? super E, ? extends @Nullable V> value) {
        return value(column, type, value, Rule.extreme(BinaryOperator.maxBy(order(column, type)), "greatest"));
    }

    private static <V> Comparator<V> order(String column, SqlType<V> type) {
        Comparator<V> order = type.order();
        if (order == null) {
            throw new IllegalArgumentException(
                    "column '%s' is of type %s, for which there is no lowest and highest value"
                            .formatted(column, type));
        }
        return order;
    }

    /**
     * Adds a column with the latest value. Only for rows of one aggregate, so the aggregate must be a {@linkplain
     * #key(String) key}: events of several aggregates reach a row in any order.
     */
    public <V> TableDeclaration<E> latest(
            String column, SqlType<V> type, Function<? super E, ? extends @Nullable V> value) {
        return value(column, type, value, Rule.latest());
    }

    private <V> TableDeclaration<E> value(
            String column, SqlType<V> type, Function<? super E, ? extends @Nullable V> value, Rule<V> rule) {
        values.add(new ProjectedColumn<>(column(column), type, (entry, event) -> value.apply(entry), rule));
        return this;
    }

    /** Has an entry delete the row of its aggregate, which must be the only {@linkplain #key(String) key}. */
    public TableDeclaration<E> deleteWhen(Predicate<? super E> entry) {
        deletion = entry;
        deletes = true;
        return this;
    }

    private String column(String column) {
        SchemaName.requireIdentifier("column", column, MAX_NAME);
        if (!names.add(column)) {
            throw new IllegalArgumentException("table '%s' has two columns '%s'".formatted(table, column));
        }
        return column;
    }

    /**
     * Returns the projection.
     *
     * @throws IllegalStateException if a key or another column is missing, or the aggregate is no key and must be one
     */
    public TableProjection<E> build() {
        if (keys.isEmpty() || values.isEmpty()) {
            throw new IllegalStateException("table '%s' has %d keys and %d other columns, needs at least one of each"
                    .formatted(table, keys.size(), values.size()));
        }
        if (!byAggregate && values.stream().anyMatch(column -> column.rule().ordered())) {
            throw new IllegalStateException(
                    "table '%s' has latest values, but its rows are shared by aggregates, whose events arrive in any order: add key(\"id\"), or use max"
                            .formatted(table));
        }
        if (deletes && !(byAggregate && keys.size() == 1)) {
            throw new IllegalStateException(
                    "table '%s' has rows deleted, so the aggregate must be its only key: key(\"id\")".formatted(table));
        }
        return new TableProjection<>(this);
    }
}
