package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.SessionPlans;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * The database of an outbox. Statements name its tables by {@linkplain OutboxTables#in placeholders}. Safe for use by
 * many threads.
 */
final class OutboxDatabase extends Database {
    /** The lifetime of plans for one message: with an outdated plan it reads the table once, and many messages once each. */
    private static final Duration LIFETIME_FOR_ONE = Duration.ofSeconds(10);

    private final OutboxTables tables;
    private final SessionPlans plans;
    private final SessionPlans plansForOne = new SessionPlans(LIFETIME_FOR_ONE);

    OutboxDatabase(DataSource dataSource, OutboxTables tables, Duration statementTimeout) {
        this(dataSource, tables, statementTimeout, new SessionPlans());
    }

    private OutboxDatabase(DataSource dataSource, OutboxTables tables, Duration statementTimeout, SessionPlans plans) {
        super(dataSource, tables::in, statementTimeout, plans);
        this.tables = tables;
        this.plans = plans;
    }

    OutboxTables tables() {
        return tables;
    }

    /**
     * Runs several statements in one transaction at READ COMMITTED. {@code what} names the call in the message of a
     * failure.
     */
    <T> T inTransaction(String what, Work<T> work) {
        Transactions transactions = transactions();
        try {
            return transactions.run(connection -> {
                Statements.execute(connection, transactions.begin());
                return work.run(new Statements(connection, tables::in));
            });
        } catch (SQLException e) {
            throw SqlErrors.storageException(what, e);
        }
    }

    /** Returns the statements of the caller's transaction, which also contains the change that the entries report. */
    Statements ofCaller(Connection transaction, String what) throws SQLException {
        return Statements.ofCaller(
                        transaction, tables::in, what, "the call would not be part of a transaction of the caller")
                .with(plans);
    }

    /**
     * Returns the statements of the caller's transaction for one message. Their plans are kept longer, since at a steady
     * rate the calls that plan anew are the slowest.
     */
    Statements ofCallerForOne(Connection transaction, String what) throws SQLException {
        return ofCaller(transaction, what).with(plansForOne);
    }
}
