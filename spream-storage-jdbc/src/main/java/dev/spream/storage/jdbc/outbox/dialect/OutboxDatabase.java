package dev.spream.storage.jdbc.outbox.dialect;

import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.SessionPlans;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The database of an outbox. Statements have the {@linkplain SqlWords words} of its kind. Safe for use by many threads. */
public abstract class OutboxDatabase extends Database {
    private final OutboxTables tables;
    private final SqlWords words;

    /** @param plans the plans that sessions keep; null if each execution is planned anew */
    protected OutboxDatabase(
            DataSource dataSource,
            OutboxTables tables,
            SqlWords words,
            Duration statementTimeout,
            @Nullable SessionPlans plans) {
        super(dataSource, sql -> words.in(tables, sql), statementTimeout, plans);
        this.tables = tables;
        this.words = words;
    }

    public final OutboxTables tables() {
        return tables;
    }

    /** Returns the statement for this database. */
    public final String in(String sql) {
        return words.in(tables, sql);
    }

    /**
     * Runs several statements in one transaction at READ COMMITTED. {@code what} names the call in the message of a
     * failure. Where the server aborts one of several transactions that wait for each other, the work may be repeated.
     */
    public abstract <T> T inTransaction(String what, Work<T> work);

    /** Returns the statements of the caller's transaction, which also contains the change that the entries report. */
    public Statements ofCaller(Connection transaction, String what) throws SQLException {
        return Statements.ofCaller(
                transaction, this::in, what, "the call would not be part of a transaction of the caller");
    }

    /** Returns the statements of the caller's transaction for one message. */
    public Statements ofCallerForOne(Connection transaction, String what) throws SQLException {
        return ofCaller(transaction, what);
    }

    /**
     * Inserts a row, unless there is one with its key, for which it waits if that is of an open transaction.
     *
     * @param insert an {@code INSERT} of one row without an {@code ON} clause
     * @return whether it was inserted
     */
    public abstract boolean insertIfAbsent(Statements transaction, String insert, Binder values) throws SQLException;
}
