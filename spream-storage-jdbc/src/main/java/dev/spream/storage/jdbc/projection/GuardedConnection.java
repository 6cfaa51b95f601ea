package dev.spream.storage.jdbc.projection;

import dev.spream.core.projection.FailureKind;
import dev.spream.core.projection.ProjectionFailure;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * What a projection sees of the connection: all of it, but what would end the transaction or change its manners. Statements, rows,
 * arrays and metadata that come from it lead back to it, and never to what is behind it. Once the work is over nothing of it can
 * be used any more. Each is equal to nothing but itself.
 *
 * <p>{@code unwrap} gives interfaces of the driver that are no connections, such as {@code PGConnection} and {@code PGStatement},
 * and holds them to the same; {@code isWrapperFor} knows which. What such an interface gives out, a {@code CopyManager} for example,
 * is the driver's own, and must not be kept.
 */
final class GuardedConnection {
    private static final Set<String> REFUSED = Set.of(
            "abort",
            "addDataType",
            "alterUserPassword",
            "close",
            "commit",
            "getReplicationAPI",
            "setAdaptiveFetch",
            "setAutoCommit",
            "setAutosave",
            "setCatalog",
            "setClientInfo",
            "setDefaultFetchSize",
            "setHoldability",
            "setNetworkTimeout",
            "setPrepareThreshold",
            "setQueryTimeout",
            "setReadOnly",
            "setSchema",
            "setTransactionIsolation",
            "setTypeMap");

    private final Connection connection;
    private final Connection view;
    private volatile boolean over;

    GuardedConnection(Connection connection) {
        this.connection = connection;
        this.view = GuardedObject.ofConnection(this, connection, Connection.class);
    }

    Connection view() {
        return view;
    }

    /** Refuses what is called when the work is over. */
    void requireWork(String method) {
        if (over) {
            throw failure("a projection called %s() on a connection whose transaction is over; it must keep none"
                    .formatted(method));
        }
    }

    /**
     * Refuses what is not for a projection to call on a connection.
     *
     * @param arguments how many there are
     */
    void requireAllowed(String method, int arguments) {
        boolean wholeRollback = arguments == 0 && method.equals("rollback");
        if (wholeRollback || REFUSED.contains(method)) {
            throw failure(
                    ("a projection called %s() on the connection that it was handed; whoever runs it ends the transaction, and others"
                                    + " have the connection next: set what is needed by SET LOCAL")
                            .formatted(method));
        }
    }

    /** Nobody uses it any more. */
    void end() {
        over = true;
    }

    /**
     * Requires that the transaction is what the work was handed.
     *
     * @throws ProjectionFailure if it was ended by a statement, or an error of the server was passed over in it
     */
    void requireOpen() throws SQLException {
        TransactionState state = state();
        if (state == TransactionState.IDLE) {
            throw ended();
        }
        if (state == TransactionState.FAILED) {
            throw new ProjectionFailure(
                    FailureKind.POISON,
                    "a projection went on after an error of the server, which has undone the whole transaction; it must throw"
                            + " what it catches, or set a savepoint before",
                    null);
        }
    }

    /** As the driver knows it without asking; open, if it is another one. */
    TransactionState state() throws SQLException {
        return connection.isWrapperFor(BaseConnection.class)
                ? connection.unwrap(BaseConnection.class).getTransactionState()
                : TransactionState.OPEN;
    }

    /** What is thrown when a statement has ended the transaction. */
    static ProjectionFailure ended() {
        return failure(
                "a projection ended the transaction that it was handed by a statement, such as COMMIT; what it had done by then may be"
                        + " there for good, and its progress is not: put that right, take the statement away, and resume it");
    }

    private static ProjectionFailure failure(String message) {
        return new ProjectionFailure(FailureKind.FATAL, message, null);
    }
}
