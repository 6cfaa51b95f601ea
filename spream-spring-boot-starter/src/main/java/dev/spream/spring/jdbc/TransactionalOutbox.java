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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * An outbox for methods with {@code @Transactional}: messages are enqueued in the transaction of the caller, and sent once
 * it has committed, without a call of the program. An entry that is rolled back, also to a savepoint of a nested
 * transaction, is not sent. After an error that the program ignored, the commit fails and nothing is sent.
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
    private static final Logger log = LoggerFactory.getLogger(TransactionalOutbox.class);

    private final JdbcOutbox outbox;
    private final DataSource dataSource;

    /** @param dataSource that of the transactions */
    public TransactionalOutbox(JdbcOutbox outbox, DataSource dataSource) {
        this.outbox = requireNonNull(outbox, "outbox");
        this.dataSource = dataSource instanceof TransactionAwareDataSourceProxy proxy
                ? requireNonNull(proxy.getTargetDataSource(), "dataSource")
                : requireNonNull(dataSource, "dataSource");
    }

    /**
     * Enqueues a message in the current transaction.
     *
     * @throws IllegalStateException if there is none of the data source, or it has committed or is read-only
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
        if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            throw new IllegalStateException(
                    "nothing was enqueued: the current transaction is read-only; enqueue in one that is not");
        }
        return current().enqueueAll(messages);
    }

    private Messages current() {
        if (TransactionSynchronizationManager.getResource(this) instanceof Messages messages) {
            return messages;
        }
        ConnectionHolder holder = holder();
        Messages messages = new Messages(outbox.begin(holder.getConnection()), holder);
        TransactionSynchronizationManager.bindResource(this, messages);
        TransactionSynchronizationManager.registerSynchronization(messages);
        return messages;
    }

    /** Returns the holder of the connection of the current transaction, which its transaction manager releases. */
    private ConnectionHolder holder() {
        if (TransactionSynchronizationManager.getResource(dataSource) instanceof ConnectionHolder holder
                && !isAutoCommitting(holder.getConnection())) {
            return holder;
        }
        throw new IllegalStateException(
                "nothing was enqueued: the current transaction is not one of the outbox's data source; give its"
                        + " transaction manager that data source");
    }

    private static boolean isAutoCommitting(Connection connection) {
        try {
            return connection.getAutoCommit();
        } catch (SQLException e) {
            return false; // the connection is broken, which enqueueing reports
        }
    }

    /**
     * The messages of one transaction; used by its thread. They are sent at once only if they were all enqueued before
     * {@link #beforeCommit}; otherwise workers claim those that were committed.
     */
    private final class Messages implements TransactionSynchronization {
        private final OutboxTransaction enqueued;
        private final ConnectionHolder holder;
        private boolean committable;
        private boolean committed;
        private boolean sent;
        private boolean partlyRolledBack;

        private Messages(OutboxTransaction enqueued, ConnectionHolder holder) {
            this.enqueued = enqueued;
            this.holder = holder;
        }

        private List<EnqueueResult> enqueueAll(List<OutboxMessage> messages) {
            if (committed) {
                throw new IllegalStateException(
                        "nothing was enqueued: the transaction has committed; enqueue before its"
                                + " commit, or in another transaction, by @Transactional(propagation = REQUIRES_NEW)");
            }
            committable = false;
            return enqueued.enqueueAll(messages);
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

        /** Fails if the commit would be a rollback; Spring rolls back then. */
        @Override
        public void beforeCommit(boolean readOnly) {
            enqueued.requireCommittable();
            committable = true;
        }

        @Override
        public void afterCommit() {
            committed = true;
            requireOfTransaction();
            if (committable && !partlyRolledBack) {
                enqueued.committed();
                sent = true;
            }
        }

        /** Refuses a connection that another statement has borrowed in a transaction of another data source. */
        @SuppressWarnings("ReferenceEquality") // the holder that Spring keeps, not one like it
        private void requireOfTransaction() {
            // Spring has returned such a connection, and keeps that of the transaction until it has completed.
            if (TransactionSynchronizationManager.getResource(dataSource) != holder) {
                throw new IllegalStateException(
                        "messages were lost: they were enqueued on a connection that does not belong to the transaction, which"
                                + " has committed without them; give the transaction manager the data source of the outbox");
            }
        }

        @Override
        public void afterCompletion(int status) {
            TransactionSynchronizationManager.unbindResourceIfPossible(TransactionalOutbox.this);
            enqueued.close();
            if (status == STATUS_COMMITTED && !committed) {
                log.error(
                        "messages were enqueued after the commit of the transaction, so they may be lost: enqueue before it,"
                                + " or in another transaction, by @Transactional(propagation = REQUIRES_NEW)");
            }
            if (committed && !sent) {
                outbox.signal();
            }
        }
    }
}
