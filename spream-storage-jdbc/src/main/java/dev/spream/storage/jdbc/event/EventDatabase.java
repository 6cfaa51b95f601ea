package dev.spream.storage.jdbc.event;

import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.Transactions;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import javax.sql.DataSource;

/**
 * The database of an event store, whose table statements name by its place. Safe for use by many threads.
 *
 * @param dataSource its owner closes it
 * @param statements runs what is a transaction by itself
 * @param transactions runs what takes several statements
 */
record EventDatabase(DataSource dataSource, EventTable table, Database statements, Transactions transactions) {

    static EventDatabase of(DataSource dataSource, EventTable table, Duration statementTimeout) {
        return new EventDatabase(
                dataSource,
                table,
                new Database(dataSource, table.schema(), statementTimeout),
                new Transactions(dataSource, statementTimeout));
    }

    /** See {@link Database#rows}. */
    <T> List<T> rows(String what, String sql, Database.Binder binder, Database.RowReader<T> reader) {
        return statements.rows(what, table.in(sql), binder, reader);
    }

    /** See {@link Database#rowsUntil}. */
    <T> List<T> rowsUntil(
            String what,
            String sql,
            Database.Binder binder,
            Database.RowReader<T> reader,
            int fetch,
            Predicate<? super T> enough) {
        return statements.rowsUntil(what, table.in(sql), binder, reader, fetch, enough);
    }

    /** Whatever is asked afterwards fails. */
    void close() {
        statements.close();
    }
}
