package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.Transactions;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * The database of an outbox, whose tables statements name by their places. Safe for use by many threads.
 *
 * @param dataSource its owner closes it
 * @param statements runs what is a transaction by itself
 * @param transactions runs what takes several statements
 */
record OutboxDatabase(DataSource dataSource, OutboxTables tables, Database statements, Transactions transactions) {

    static OutboxDatabase of(DataSource dataSource, OutboxTables tables, Duration statementTimeout) {
        return new OutboxDatabase(
                dataSource,
                tables,
                new Database(dataSource, tables.schema(), statementTimeout),
                new Transactions(dataSource, statementTimeout));
    }

    /** See {@link Database#rows}. */
    <T> List<T> rows(String what, String sql, Database.Binder binder, Database.RowReader<T> reader) {
        return statements.rows(what, tables.in(sql), binder, reader);
    }

    /** See {@link Database#update}. */
    int update(String what, String sql, Database.Binder binder) {
        return statements.update(what, tables.in(sql), binder);
    }

    /** Commits what several statements did, at READ COMMITTED. {@code what} names the call in the message of a failure. */
    <T> T inTransaction(String what, Work<T> work) {
        try {
            return transactions.run(connection -> {
                try (Statement begin = connection.createStatement()) {
                    begin.execute(transactions.begin());
                }
                return work.run(new OutboxTransaction(connection, tables));
            });
        } catch (SQLException e) {
            throw SqlErrors.storageException(what, e);
        }
    }

    /** What is done in one transaction. */
    interface Work<T> {
        T run(OutboxTransaction transaction) throws SQLException;
    }

    /** Whatever is asked afterwards fails. */
    void close() {
        statements.close();
    }
}
