package dev.spream.storage.jdbc.projection;

import static java.util.Objects.requireNonNull;

import dev.spream.core.StorageException;
import dev.spream.core.record.Json;
import dev.spream.projection.FailureKind;
import dev.spream.projection.FoldableProjection;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.TypedEvents;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.Transactions;
import dev.spream.storage.jdbc.projection.ProjectedColumn.Rule;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A projection into one table that is declared column by column, without SQL: totals, counts, and the latest values.
 * Each batch writes each row once, and rows that several aggregates share in one order. It has the name of its table.
 *
 * <p>Immutable, and safe for use by many threads.
 *
 * @param <E> the class of the events
 */
public final class TableProjection<E>
        implements FoldableProjection<Connection, TableRow<E>>, RebuildableProjection<Connection> {
    private final String table;
    private final TypedEvents<E> events;
    private final int revision;
    private final List<ProjectedColumn<E, ?>> keys;
    private final List<ProjectedColumn<E, ?>> columns; // the keys first
    private final Set<Class<? extends E>> deletions;
    private final TableStatements statements;

    private TableProjection(Builder<E> builder) {
        table = builder.table;
        events = builder.events;
        revision = builder.revision;
        keys = List.copyOf(builder.keys);
        List<ProjectedColumn<E, ?>> all = new ArrayList<>(builder.keys);
        all.addAll(builder.values);
        columns = List.copyOf(all);
        deletions = Set.copyOf(builder.deletions);
        statements = new TableStatements(table, keys, columns);
    }

    /**
     * Begins the declaration of a table.
     *
     * @param table its name, and that of the projection: 1 to 63 lower-case letters, digits and underscores, starting with
     *     a letter. Columns have names of the same form
     * @param events the events that change it. Each changes one row; those that change none belong to another class
     */
    public static <E> Builder<E> table(String table, TypedEvents<E> events) {
        return new Builder<>(table, events);
    }

    /**
     * Creates the table unless it exists, before the projection is first run. Safe for concurrent calls.
     *
     * @throws StorageException if the database cannot be reached, or has a table of this name without one of the columns;
     *     nothing changed
     */
    public void createTable(DataSource database) {
        try {
            new Transactions(database, ProjectionBuilder.DEFAULT_STATEMENT_TIMEOUT).run(transaction -> {
                statements.create(transaction);
                statements.check(transaction);
                return true;
            });
        } catch (SQLException e) {
            throw SqlErrors.storageException(
                    "creating table '%s'; if it has other columns, raise the revision of its projection and rebuild it"
                            .formatted(table),
                    e);
        }
    }

    @Override
    public String name() {
        return table;
    }

    @Override
    public boolean handles(String eventType) {
        return events.handles(eventType);
    }

    @Override
    public int revision() {
        return revision;
    }

    @Override
    public Set<String> tables() {
        return Set.of(table);
    }

    @Override
    public void create(Connection transaction) throws SQLException {
        statements.create(transaction);
    }

    @Override
    public String key(EventEnvelope envelope) {
        E event = events.read(envelope);
        List<String> texts =
                keys.stream().map(key -> keyText(key, event, envelope)).toList();
        return texts.size() == 1 ? texts.getFirst() : Json.text(texts);
    }

    private String keyText(ProjectedColumn<E, ?> key, E event, EventEnvelope envelope) {
        Object value = key.value().apply(event, envelope);
        if (value == null) {
            throw new ProjectionException(
                    FailureKind.POISON, "%s has no value for the key '%s'".formatted(envelope, key.name()), null);
        }
        return value.toString();
    }

    @Override
    public TableRow<E> fold(@Nullable TableRow<E> folded, EventEnvelope envelope) {
        TableRow<E> row = folded == null ? new TableRow<>(columns) : folded;
        E event = events.read(envelope);
        if (deletions.contains(event.getClass())) {
            row.delete();
        } else {
            row.add(event, envelope);
        }
        return row;
    }

    @Override
    public void write(Connection transaction, Map<String, TableRow<E>> folded) throws SQLException {
        List<String> deleted = folded.entrySet().stream()
                .filter(row -> row.getValue().isDeleted())
                .map(Map.Entry::getKey)
                .toList();
        if (!deleted.isEmpty()) {
            statements.delete(transaction, deleted);
        }
        List<TableRow<E>> written =
                folded.values().stream().filter(TableRow::isWritten).toList();
        if (!written.isEmpty()) {
            statements.upsert(transaction, written);
        }
    }

    /**
     * Declares a table. Functions return the value of an event for a column, or null for one that does not change it;
     * they have no side effects and are called by several threads. Not safe for use by several threads itself.
     *
     * @param <E> the class of the events
     */
    public static final class Builder<E> {
        private final String table;
        private final TypedEvents<E> events;
        private final List<ProjectedColumn<E, ?>> keys = new ArrayList<>();
        private final List<ProjectedColumn<E, ?>> values = new ArrayList<>();
        private final Set<Class<? extends E>> deletions = new HashSet<>();
        private boolean byAggregate;
        private int revision = 1;

        private Builder(String table, TypedEvents<E> events) {
            TableStatements.requireName(table);
            this.table = table;
            this.events = requireNonNull(events, "events");
        }

        /** Adds a key column with the id of the event's aggregate. */
        public Builder<E> key(String column) {
            byAggregate = true;
            return key(column, SqlType.TEXT, (event, envelope) -> envelope.aggregateId());
        }

        /** Adds a key column of text. */
        public Builder<E> key(String column, Function<? super E, String> value) {
            return key(column, SqlType.TEXT, value);
        }

        /** Adds a key column; an event without a value for it parks its aggregate. */
        public <V> Builder<E> key(String column, SqlType<V> type, Function<? super E, V> value) {
            return key(column, type, (event, envelope) -> value.apply(event));
        }

        private <V> Builder<E> key(String column, SqlType<V> type, BiFunction<? super E, EventEnvelope, V> value) {
            keys.add(new ProjectedColumn<>(column, type, value, Rule.key()));
            return this;
        }

        /** Adds a column with the sum of whole numbers, from 0. A sum beyond 64 bits parks the aggregate of its event. */
        public Builder<E> sum(String column, ToLongFunction<? super E> value) {
            return value(column, SqlType.BIGINT, value::applyAsLong, Rule.sum(Math::addExact));
        }

        /** Adds a column with the sum of decimal numbers, from 0. */
        public Builder<E> sumNumeric(String column, Function<? super E, ? extends @Nullable BigDecimal> value) {
            return value(column, SqlType.NUMERIC, value, Rule.sum(BigDecimal::add));
        }

        /** Adds a column with the number of events. */
        public Builder<E> count(String column) {
            return sum(column, event -> 1);
        }

        /** Adds a column with the highest value, for types other than text, booleans and UUIDs. */
        public <V> Builder<E> max(String column, SqlType<V> type, Function<? super E, ? extends @Nullable V> value) {
            return value(column, type, value, Rule.extreme(BinaryOperator.maxBy(order(column, type)), "greatest"));
        }

        /** Adds a column with the lowest value, for types other than text, booleans and UUIDs. */
        public <V> Builder<E> min(String column, SqlType<V> type, Function<? super E, ? extends @Nullable V> value) {
            return value(column, type, value, Rule.extreme(BinaryOperator.minBy(order(column, type)), "least"));
        }

        private static <V> Comparator<V> order(String column, SqlType<V> type) {
            Comparator<V> order = type.order();
            if (order == null) {
                throw new IllegalArgumentException(
                        "column '%s' is of type %s, which has no highest and lowest value here"
                                .formatted(column, type));
            }
            return order;
        }

        /** Adds a column with the latest value. Only for rows of one aggregate, whose events arrive in order. */
        public <V> Builder<E> latest(String column, SqlType<V> type, Function<? super E, ? extends @Nullable V> value) {
            return value(column, type, value, Rule.latest());
        }

        private <V> Builder<E> value(
                String column, SqlType<V> type, Function<? super E, ? extends @Nullable V> value, Rule<V> rule) {
            values.add(new ProjectedColumn<>(column, type, (event, envelope) -> value.apply(event), rule));
            return this;
        }

        /** Has events of exactly this class delete the row. Only for rows whose key is the id of the aggregate. */
        public Builder<E> deleteOn(Class<? extends E> event) {
            deletions.add(event);
            return this;
        }

        /** Sets the revision of the declaration, 1 by default; see {@link dev.spream.projection.Projection#revision}. */
        public Builder<E> revision(int number) {
            revision = number;
            return this;
        }

        /**
         * Returns the projection.
         *
         * @throws IllegalArgumentException if there is no key or no other column, a name twice, or a column or deletion
         *     for which aggregates must not share rows
         */
        public TableProjection<E> build() {
            if (keys.isEmpty() || values.isEmpty()) {
                throw new IllegalArgumentException("table '%s' needs a key and another column".formatted(table));
            }
            Set<String> names = new HashSet<>();
            for (ProjectedColumn<E, ?> column : keys) {
                requireNew(column, names);
            }
            for (ProjectedColumn<E, ?> column : values) {
                requireNew(column, names);
                if (column.rule().ordered() && !byAggregate) {
                    throw new IllegalArgumentException(
                            "column '%s' has the latest value, but events of several aggregates reach a row of table '%s' in any order: make the aggregate a key, by key(\"name\"), or use max"
                                    .formatted(column.name(), table));
                }
            }
            if (!deletions.isEmpty() && !(byAggregate && keys.size() == 1)) {
                throw new IllegalArgumentException(
                        "rows of table '%s' are deleted, so its key must be the id of the aggregate, by key(\"name\")"
                                .formatted(table));
            }
            return new TableProjection<>(this);
        }

        private void requireNew(ProjectedColumn<E, ?> column, Set<String> names) {
            if (!names.add(column.name())) {
                throw new IllegalArgumentException("table '%s' has two columns '%s'".formatted(table, column.name()));
            }
        }
    }
}
