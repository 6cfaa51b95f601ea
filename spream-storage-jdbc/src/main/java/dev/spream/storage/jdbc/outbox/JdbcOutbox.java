package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxTransaction;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.OutboxSql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * An {@link Outbox} in PostgreSQL, MySQL or MariaDB: messages are enqueued on a connection of the caller, in its transaction.
 *
 * <pre>{@code
 * outbox.transactWithoutResult((connection, messages) -> {
 *     orders.insert(connection, order);
 *     messages.enqueue(OutboxMessage.of(order.key(), order.json()));
 * });
 * }</pre>
 *
 * <p>A program that begins its transactions itself calls {@link #begin}, and one whose library does that has an {@link
 * OutboxDataSource}.
 *
 * <p>Transactions are best READ COMMITTED, the default of PostgreSQL; at a higher level, a key that another transaction has taken since this
 * one began makes it fail, to be repeated as a whole. Transactions that enqueue several keys one by one should do so in the
 * same order, or all at once, lest two wait for each other.
 *
 * <p>Safe for use by many threads. The caller owns the data source and closes it afterwards; it is used for {@link
 * #transact}, for signals and to release claims.
 */
public final class JdbcOutbox implements Outbox<Connection> {
    private final OutboxSql sql;
    private final OutboxDatabase database;
    private final OutboxSignal signal;

    private JdbcOutbox(OutboxSql sql) {
        this.sql = sql;
        this.database = sql.database();
        this.signal = new OutboxSignal(sql);
    }

    /**
     * The outbox {@code outbox_orders} in the schema {@code spream}, in MySQL and MariaDB in the database of the
     * connections; it is created where needed.
     */
    public static JdbcOutbox create(DataSource dataSource) {
        return builder(dataSource).build();
    }

    public static OutboxBuilder<JdbcOutbox> builder(DataSource dataSource) {
        return new OutboxBuilder<>(dataSource, sql -> {
            sql.checkDurability();
            return new JdbcOutbox(sql);
        });
    }

    @Override
    public Class<Connection> transactionType() {
        return Connection.class;
    }

    @Override
    public List<EnqueueResult> enqueueAll(Connection transaction, List<OutboxMessage> messages) {
        Optional<OutboxTransaction> ofDataSource;
        try {
            ofDataSource = OutboxConnection.messages(transaction, this);
        } catch (SQLException e) {
            throw sql.enqueueFailure(what(messages), e);
        }
        return ofDataSource.isPresent()
                ? ofDataSource.get().enqueueAll(messages)
                : enqueueAll(transaction, messages, null).results();
    }

    /** Enqueues messages, and claims them where there is reserved room. */
    EnqueueCall.Enqueued enqueueAll(
            Connection transaction, List<OutboxMessage> messages, LocalWatchers.@Nullable Reserved reserved) {
        String what = what(messages);
        try {
            Statements statements = messages.size() == 1
                    ? database.ofCallerForOne(transaction, what)
                    : database.ofCaller(transaction, what);
            return new EnqueueCall(sql, statements, reserved).enqueue(messages);
        } catch (SQLException e) {
            throw sql.enqueueFailure(what, e);
        }
    }

    private String what(List<OutboxMessage> messages) {
        return "enqueueing %d messages in %s".formatted(messages.size(), database.tables());
    }

    /** Enqueues in a transaction of its own and commits it. */
    List<EnqueueResult> enqueueInOwnTransaction(List<OutboxMessage> messages) {
        return database.inTransaction(what(messages), transaction -> enqueueAll(transaction.connection(), messages));
    }

    /** Does work that has no result in a transaction, as {@link #transact} does. */
    public <E extends Exception> void transactWithoutResult(OutboxWork.Action<E> work) throws SQLException, E {
        boolean ignored = transact((connection, messages) -> {
            work.run(connection, messages);
            return true;
        });
    }

    /**
     * Begins a transaction on a connection of the data source, does the work, commits, and has the messages sent. If the
     * work throws, everything is rolled back, and nothing is sent.
     *
     * @return the result of the work
     * @throws SQLException if the transaction could not be begun or committed, or the work ignored an error after which
     *     PostgreSQL commits nothing. After a failed commit it is unknown
     *     whether it took effect; messages that were committed nevertheless are sent
     */
    public <R, E extends Exception> R transact(OutboxWork<R, E> work) throws SQLException, E {
        return new OwnTransaction(this, database.dataSource()).run(work);
    }

    @Override
    public OutboxTransaction begin(Connection transaction) {
        return new JdbcOutboxTransaction(this, sql, transaction);
    }

    @Override
    public void signal() {
        signal.send();
    }
}
