package dev.spream.spring.jdbc;

import static java.util.Objects.requireNonNull;

import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxTransaction;
import dev.spream.storage.jdbc.outbox.JdbcOutbox;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * An outbox for methods with {@code @Transactional}: messages are enqueued in the transaction of the caller, and sent once
 * it has committed, without a call of the program. An entry that is rolled back, also to a savepoint of a nested
 * transaction, is not sent.
 *
 * <pre>{@code
 * @Transactional
 * void place(Order order) {
 *     orders.save(order);
 *     outbox.enqueue(OutboxMessage.of(order.id(), order.json()));
 * }
 * }</pre>
 *
 * <p>The transaction has to be one of the data source of the outbox: of a {@code DataSourceTransactionManager}, or of a
 * {@code JpaTransactionManager} that shares its connection. Safe for use by many threads.
 */
public final class TransactionalOutbox {
    private final JdbcOutbox outbox;
    private final DataSource dataSource;

    /** @param dataSource that of the transactions */
    public TransactionalOutbox(JdbcOutbox outbox, DataSource dataSource) {
        this.outbox = requireNonNull(outbox, "outbox");
        this.dataSource = requireNonNull(dataSource, "dataSource");
    }

    /**
     * Enqueues a message in the current transaction.
     *
     * @throws IllegalStateException if there is none of the data source
     * @throws IllegalArgumentException if the payload is not a JSON text, or cannot be held by the store
     */
    public EnqueueResult enqueue(OutboxMessage message) {
        return enqueueAll(List.of(message)).getFirst();
    }

    /** Enqueues several messages, at less cost than one by one; otherwise like {@link #enqueue}. */
    public List<EnqueueResult> enqueueAll(List<OutboxMessage> messages) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()
                || !TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new IllegalStateException(
                    "nothing was enqueued: there is no transaction; call the outbox in a method with @Transactional, or"
                            + " within a TransactionTemplate");
        }
        return current().enqueueAll(messages);
    }

    private OutboxTransaction current() {
        if (TransactionSynchronizationManager.getResource(this) instanceof Messages messages) {
            return messages.enqueued;
        }
        Messages messages = new Messages(outbox.begin(connection()));
        TransactionSynchronizationManager.bindResource(this, messages);
        TransactionSynchronizationManager.registerSynchronization(messages);
        return messages.enqueued;
    }

    /** Returns the connection of the current transaction, which that releases. */
    private Connection connection() {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        if (!DataSourceUtils.isConnectionTransactional(connection, dataSource)
                || !TransactionSynchronizationManager.hasResource(dataSource)
                || isAutoCommitting(connection)) {
            DataSourceUtils.releaseConnection(connection, dataSource);
            throw new IllegalStateException(
                    "nothing was enqueued: the current transaction is not one of the outbox's data source; give its"
                            + " transaction manager that data source");
        }
        return connection;
    }

    private static boolean isAutoCommitting(Connection connection) {
        try {
            return connection.getAutoCommit();
        } catch (SQLException e) {
            return false; // the connection is broken, which enqueueing reports
        }
    }

    /** The messages of one transaction; used by its thread. */
    private final class Messages implements TransactionSynchronization {
        private final OutboxTransaction enqueued;
        private boolean partlyRolledBack;

        private Messages(OutboxTransaction enqueued) {
            this.enqueued = enqueued;
        }

        @Override
        public void suspend() {
            TransactionSynchronizationManager.unbindResource(TransactionalOutbox.this);
        }

        @Override
        public void resume() {
            TransactionSynchronizationManager.bindResource(TransactionalOutbox.this, this);
        }

        /** Entries that were claimed as they were enqueued may be gone: all are released, for workers to claim. */
        @Override
        public void savepointRollback(Object savepoint) {
            partlyRolledBack = true;
        }

        @Override
        public void afterCommit() {
            if (!partlyRolledBack) {
                enqueued.committed();
            }
        }

        @Override
        public void afterCompletion(int status) {
            TransactionSynchronizationManager.unbindResourceIfPossible(TransactionalOutbox.this);
            enqueued.close();
            if (partlyRolledBack) {
                outbox.signal();
            }
        }
    }
}
