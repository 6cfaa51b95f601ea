package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.internal.SessionPlans;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.internal.Transactions;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import dev.spream.storage.jdbc.outbox.dialect.SqlWords;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** The database of an outbox in PostgreSQL, whose sessions keep the plans of statements. */
final class PostgresOutboxDatabase extends OutboxDatabase {
    /** The lifetime of plans for one message: with an outdated plan it reads the table once, and many messages once each. */
    private static final Duration LIFETIME_FOR_ONE = Duration.ofSeconds(10);

    private final SessionPlans plans;
    private final SessionPlans plansForOne = new SessionPlans(LIFETIME_FOR_ONE);

    PostgresOutboxDatabase(DataSource dataSource, OutboxTables tables, Duration statementTimeout) {
        this(dataSource, tables, statementTimeout, new SessionPlans());
    }

    private PostgresOutboxDatabase(
            DataSource dataSource, OutboxTables tables, Duration statementTimeout, SessionPlans plans) {
        super(dataSource, tables, SqlWords.POSTGRESQL, statementTimeout, plans);
        this.plans = plans;
    }

    @Override
    public <T> T inTransaction(String what, Work<T> work) {
        Transactions transactions = transactions();
        try {
            return transactions.run(connection -> {
                Statements.execute(connection, transactions.begin());
                return work.run(new Statements(connection, this::in));
            });
        } catch (SQLException e) {
            throw SqlErrors.storageException(what, e);
        }
    }

    @Override
    public Statements ofCaller(Connection transaction, String what) throws SQLException {
        return super.ofCaller(transaction, what).with(plans);
    }

    /** Keeps its plans for longer, since at a steady rate the calls that plan anew are the slowest. */
    @Override
    public Statements ofCallerForOne(Connection transaction, String what) throws SQLException {
        return super.ofCaller(transaction, what).with(plansForOne);
    }

    @Override
    public boolean insertIfAbsent(Statements transaction, String insert, Binder values) throws SQLException {
        return transaction.update(insert + " ON CONFLICT DO NOTHING", values) == 1;
    }
}
