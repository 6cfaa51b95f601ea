package dev.spream.storage.jdbc.table;

import dev.spream.core.StorageException;
import dev.spream.projection.FailureKind;
import dev.spream.projection.MultiRowProjection;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.TypedEvents;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * A projection into one table that is declared column by column, without SQL:
 *
 * <pre>{@code
 * TableProjection<MoneyMoved> totals = TableProjection.table("customer_totals", EVENTS)
 *         .key("customer", MoneyMoved::customer)
 *         .key("day", SqlType.DATE, MoneyMoved::day)
 *         .sum("total", MoneyMoved::amount)
 *         .count("movements")
 *         .build();
 * }</pre>
 *
 * <p>A batch is folded in memory, and written by one statement in the order of the keys: segments may wait for each other's
 * rows, and never deadlock. The table is found by the {@code search_path}.
 *
 * <p>Immutable, and safe for use by many threads, as far as the given functions are.
 *
 * @param <E> an entry: what an event changes in one row, usually the event itself
 */
public final class TableProjection<E>
        implements MultiRowProjection<Connection, TableRow<E>>, RebuildableProjection<Connection> {
    private static final String SEPARATOR = "\0"; // which no text in PostgreSQL contains
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final String name;
    private final String table;
    private final Set<String> types;
    private final Predicate<String> handled;
    private final Function<EventEnvelope, ? extends Collection<? extends E>> entries;
    private final Predicate<? super E> deletion;
    private final int revision;
    private final List<ProjectedColumn<E, ?>> keys;
    private final List<ProjectedColumn<E, ?>> columns; // the keys first
    private final TableStatements statements;

    TableProjection(TableDeclaration<E> declared) {
        name = declared.name;
        table = declared.table;
        types = declared.types;
        handled = declared.handled;
        entries = declared.entries;
        deletion = declared.deletion;
        revision = declared.revision;
        keys = List.copyOf(declared.keys);
        columns =
                Stream.concat(declared.keys.stream(), declared.values.stream()).toList();
        statements = new TableStatements(table, keys, columns);
    }

    /** Declares a table in which each event of a class changes one row. */
    public static <E> TableDeclaration<E> table(String table, TypedEvents<E> events) {
        return table(table, events, List::of);
    }

    /**
     * Declares a table in which each event of a class changes the rows of its entries, such as the two sides of a transfer.
     *
     * @param table a lower-case identifier, which is also the name of the projection unless it is given another
     * @param entries returns the entries of an event: none if it changes nothing
     */
    public static <S, E> TableDeclaration<E> table(
            String table, TypedEvents<S> events, Function<? super S, ? extends Collection<? extends E>> entries) {
        return new TableDeclaration<>(
                table, Set.of(), events::handles, envelope -> entries.apply(events.read(envelope)));
    }

    /**
     * Declares a table in which each event, as it is in the store, changes one row.
     *
     * @param types the event types that change it; empty for all
     */
    public static TableDeclaration<EventEnvelope> table(String table, Set<String> types) {
        return table(table, types, List::of);
    }

    /** Declares a table in which each event, as it is in the store, changes the rows of its entries. */
    public static <E> TableDeclaration<E> table(
            String table, Set<String> types, Function<EventEnvelope, ? extends Collection<? extends E>> entries) {
        return new TableDeclaration<>(table, types, type -> true, entries);
    }

    /**
     * Creates the table unless it exists, before the projection is first run. Safe for concurrent calls. If a program runs
     * several {@linkplain #revision() revisions}, it calls this for the latest one alone: that is the live one of a new
     * projection, and otherwise a rebuild creates its table.
     *
     * @throws StorageException if the database cannot be reached; the projection has revision 1, and the database has a
     *     table of this name without one of the columns; nothing changed
     */
    public void createTable(DataSource database) {
        try {
            new Transactions(database, TIMEOUT).run(transaction -> {
                statements.create(transaction);
                if (revision == 1) { // the table of a later one may be that of an earlier one, until its rebuild
                    statements.check(transaction);
                }
                return true;
            });
        } catch (SQLException e) {
            throw SqlErrors.storageException(
                    "creating table '%s' (if it has other columns, raise the revision of its projection and rebuild it)"
                            .formatted(table),
                    e);
        }
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
    public boolean handles(String eventType) {
        return handled.test(eventType) && MultiRowProjection.super.handles(eventType);
    }

    @Override
    public int revision() {
        return revision;
    }

    @Override
    public Set<String> tables() {
        return Set.of(table);
    }

    /** Creates the table unless it exists in the first schema of the {@code search_path}. */
    @Override
    public void create(Connection transaction) throws SQLException {
        statements.create(transaction);
    }

    @Override
    public void foldInto(Map<String, TableRow<E>> rows, EventEnvelope event) {
        for (E entry : entries.apply(event)) {
            TableRow<E> row = rows.computeIfAbsent(key(entry, event), key -> new TableRow<>(columns));
            if (deletion.test(entry)) {
                row.delete();
            } else {
                row.add(entry, event);
            }
        }
    }

    private String key(E entry, EventEnvelope event) {
        StringJoiner key = new StringJoiner(SEPARATOR);
        for (ProjectedColumn<E, ?> column : keys) {
            Object value = column.value().apply(entry, event);
            if (value == null) {
                throw new ProjectionException(
                        FailureKind.POISON, "%s has no value for the key '%s'".formatted(event, column.name()), null);
            }
            key.add(value.toString());
        }
        return key.toString();
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
}
