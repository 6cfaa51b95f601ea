package dev.spream.storage.jdbc.rollup;

import static java.util.Objects.requireNonNull;

import dev.spream.projection.MultiRowProjection;
import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * A projection into a table of totals by a key other than the aggregate:
 *
 * <pre>{@code
 * Rollup<EventEnvelope> totals = Rollup.into("customer_days")
 *         .eventTypes(Set.of("MoneyDeposited", "MoneyWithdrawn"))
 *         .key("customer", Movement::customer)
 *         .day("day", event -> LocalDate.ofInstant(event.occurredAt(), ZoneOffset.UTC))
 *         .sum("amount", Movement::amount)
 *         .count("movements")
 *         .build();
 * }</pre>
 *
 * <p>Totals are sums, counts, minima and maxima, whose results do not depend on the order of the events, since those of
 * several aggregates arrive in any order. A batch is folded in memory, and written by one statement in the order of the
 * keys: segments may wait for each other's rows, and never deadlock. An event may have several entries, such as the two
 * sides of a transfer, see {@link #into(String, Function)}.
 *
 * <p>The table is found by the {@code search_path}. Its columns are those that are declared, keys first; {@link #create}
 * creates it. Safe for use by many threads, as far as the given functions are.
 *
 * @param <E> an entry: what an event adds to one row
 */
public final class Rollup<E>
        implements MultiRowProjection<Connection, Rollup.Row>, RebuildableProjection<Connection> {
    private static final int MAX_NAME = 63;
    private static final String SEPARATOR = "\0"; // which no text in PostgreSQL contains

    private final String name;
    private final Set<String> types;
    private final int revision;
    private final Function<EventEnvelope, ? extends Collection<E>> entries;
    private final RollupTable<E> table;
    private final String add;

    /** The folded entries of one row. */
    public static final class Row {
        private final String[] keys;
        private final long[] totals;

        Row(String[] keys, long[] totals) {
            this.keys = keys;
            this.totals = totals;
        }

        String[] keys() {
            return keys;
        }

        long[] totals() {
            return totals;
        }
    }

    private Rollup(Builder<E> builder) {
        this.name = builder.name;
        this.types = builder.types;
        this.revision = builder.revision;
        this.entries = builder.entries;
        this.table = new RollupTable<>(builder.table, builder.keys, builder.totals);
        this.add = table.add();
    }

    /** Builds a rollup in which each event changes one row. */
    public static Builder<EventEnvelope> into(String table) {
        return into(table, List::of);
    }

    /**
     * Builds a rollup in which each event changes the rows of its entries.
     *
     * @param table a lower-case identifier, which is also the name of the projection unless it is given another
     * @param entries returns the entries of an event: none if it changes nothing
     */
    public static <E> Builder<E> into(String table, Function<EventEnvelope, ? extends Collection<E>> entries) {
        return new Builder<>(table, entries);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Set<String> eventTypes() {
        return types;
    }

    @Override
    public int revision() {
        return revision;
    }

    @Override
    public Set<String> tables() {
        return Set.of(table.name());
    }

    /** Creates the table, if there is none in the first schema of the {@code search_path}. */
    @Override
    public void create(Connection transaction) throws SQLException {
        try (Statement statement = transaction.createStatement()) {
            statement.execute(table.create());
        }
    }

    @Override
    public void foldInto(Map<String, Row> rows, EventEnvelope event) {
        for (E entry : entries.apply(event)) {
            Row row = table.row(entry);
            Row before = rows.putIfAbsent(String.join(SEPARATOR, row.keys()), row);
            if (before != null) {
                table.merge(before, row);
            }
        }
    }

    @Override
    public void write(Connection transaction, Map<String, Row> folded) throws SQLException {
        List<Row> rows = List.copyOf(folded.values());
        try (PreparedStatement statement = transaction.prepareStatement(add)) {
            int parameter = 1;
            for (int i = 0; i < table.keys().size(); i++) {
                int column = i;
                Object[] keys = rows.stream().map(row -> row.keys()[column]).toArray();
                statement.setArray(parameter++, transaction.createArrayOf("text", keys));
            }
            for (int i = 0; i < table.totals().size(); i++) {
                int column = i;
                Object[] totals = rows.stream().map(row -> row.totals()[column]).toArray();
                statement.setArray(parameter++, transaction.createArrayOf("bigint", totals));
            }
            statement.executeUpdate();
        }
    }

    /**
     * Declares the columns of a rollup: at least one key and one total. Confined to one thread.
     *
     * @param <E> an entry
     */
    public static final class Builder<E> {
        private final String table;
        private final Function<EventEnvelope, ? extends Collection<E>> entries;
        private final List<KeyColumn<E>> keys = new ArrayList<>();
        private final List<TotalColumn<E>> totals = new ArrayList<>();
        private final Set<String> columns = new HashSet<>();
        private String name;
        private Set<String> types = Set.of();
        private int revision = 1;

        private Builder(String table, Function<EventEnvelope, ? extends Collection<E>> entries) {
            this.table = SchemaName.requireIdentifier("table", table, MAX_NAME);
            this.name = table;
            this.entries = requireNonNull(entries, "entries");
        }

        /** Sets the name of the projection; by default that of the table. */
        public Builder<E> name(String name) {
            this.name = requireNonNull(name, "name");
            return this;
        }

        /** Sets the event types that have entries; by default all. */
        public Builder<E> eventTypes(Set<String> types) {
            this.types = Set.copyOf(types);
            return this;
        }

        /** Sets the {@linkplain dev.spream.projection.Projection#revision() revision}; 1 by default. */
        public Builder<E> revision(int revision) {
            this.revision = revision;
            return this;
        }

        /** Adds a key column of type {@code text}. */
        public Builder<E> key(String column, Function<? super E, String> value) {
            return add(new KeyColumn<>(column(column), "text", value));
        }

        /** Adds a key column of type {@code date}. */
        public Builder<E> day(String column, Function<? super E, LocalDate> value) {
            return add(new KeyColumn<>(
                    column(column), "date", entry -> value.apply(entry).toString()));
        }

        private Builder<E> add(KeyColumn<E> key) {
            keys.add(key);
            return this;
        }

        /**
         * Adds a column of type {@code bigint} with a sum. A sum that does not fit fails, and parks the aggregate of the
         * event.
         */
        public Builder<E> sum(String column, ToLongFunction<? super E> value) {
            return add(column, TotalColumn.Total.SUM, value);
        }

        /** Adds a column of type {@code bigint} with the number of entries. */
        public Builder<E> count(String column) {
            return sum(column, entry -> 1);
        }

        /** Adds a column of type {@code bigint} with the lowest value. */
        public Builder<E> min(String column, ToLongFunction<? super E> value) {
            return add(column, TotalColumn.Total.MIN, value);
        }

        /** Adds a column of type {@code bigint} with the highest value. */
        public Builder<E> max(String column, ToLongFunction<? super E> value) {
            return add(column, TotalColumn.Total.MAX, value);
        }

        private Builder<E> add(String column, TotalColumn.Total total, ToLongFunction<? super E> value) {
            totals.add(new TotalColumn<>(column(column), total, requireNonNull(value, "value")));
            return this;
        }

        private String column(String column) {
            SchemaName.requireIdentifier("column", column, MAX_NAME);
            if (!columns.add(column)) {
                throw new IllegalArgumentException("rollup '%s' has two columns '%s'".formatted(table, column));
            }
            return column;
        }

        /** @throws IllegalStateException if it has no key or no total */
        public Rollup<E> build() {
            if (keys.isEmpty() || totals.isEmpty()) {
                throw new IllegalStateException("rollup '%s' has %d keys and %d totals, needs at least one of each"
                        .formatted(table, keys.size(), totals.size()));
            }
            return new Rollup<>(this);
        }
    }
}
