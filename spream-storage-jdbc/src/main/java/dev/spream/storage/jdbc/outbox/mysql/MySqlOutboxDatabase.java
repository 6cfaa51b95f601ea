package dev.spream.storage.jdbc.outbox.mysql;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import dev.spream.storage.jdbc.outbox.dialect.SqlWords;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** The database of an outbox in MySQL or MariaDB. */
final class MySqlOutboxDatabase extends OutboxDatabase {
    private static final int DUPLICATE_KEY = 1062;
    private static final int DEADLOCK = 1213;

    /** The maximum number of times that the work of a transaction is done, if the server aborts it as a deadlock. */
    private static final int ROUNDS = 5;

    /** Without it, a scan would lock the gaps between the rows, and block transactions that enqueue. */
    private static final String ISOLATION = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    /**
     * Has the server end the session of a process that is suspended between two statements, whose locks would block
     * others.
     */
    private static final String LIMIT = "SET @spream_wait_timeout = @@SESSION.wait_timeout, SESSION wait_timeout = ";

    private static final String NO_LIMIT = "SET SESSION wait_timeout = @spream_wait_timeout";

    MySqlOutboxDatabase(DataSource dataSource, OutboxTables tables, Duration statementTimeout) {
        super(dataSource, tables, SqlWords.MYSQL, statementTimeout, null);
    }

    @Override
    public <T> T inTransaction(String what, Work<T> work) {
        for (int round = 1; ; round++) {
            try {
                return transactions().run(connection -> run(connection, work), MySqlOutboxDatabase::restore);
            } catch (SQLException e) {
                if (e.getErrorCode() != DEADLOCK || round == ROUNDS) {
                    throw SqlErrors.storageException(what, e);
                }
            } catch (StorageException e) {
                if (!(e.getCause() instanceof SQLException cause)
                        || cause.getErrorCode() != DEADLOCK
                        || round == ROUNDS) {
                    throw e;
                }
            }
        }
    }

    private <T> T run(Connection connection, Work<T> work) throws SQLException {
        int seconds = Math.toIntExact(timeLimit().toSeconds());
        Statements.execute(connection, ISOLATION);
        Statements.execute(connection, LIMIT + seconds);
        return work.run(new Statements(connection, this::in, seconds, null));
    }

    private static void restore(Connection connection) throws SQLException {
        Statements.execute(connection, NO_LIMIT);
    }

    /** A duplicate key ends its statement alone, and the transaction continues. */
    @Override
    public boolean insertIfAbsent(Statements transaction, String insert, Binder values) throws SQLException {
        try {
            return transaction.update(insert, values) == 1;
        } catch (SQLException e) {
            if (isDuplicateKey(e)) {
                return false;
            }
            throw e;
        }
    }

    static boolean isDuplicateKey(SQLException error) {
        return error.getErrorCode() == DUPLICATE_KEY;
    }
}
