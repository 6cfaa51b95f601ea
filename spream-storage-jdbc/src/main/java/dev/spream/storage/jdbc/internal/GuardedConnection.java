package dev.spream.storage.jdbc.internal;

import java.sql.Connection;
import java.util.Set;
import java.util.function.Function;

/**
 * A view of a connection for user code that must not end its transaction: it refuses the methods that would end the
 * transaction or change its limits. Its statements, rows, arrays and metadata return this view, never the connection
 * behind it. After the work has ended none of them can be used. Each object is equal only to itself.
 *
 * <p>Statements are not inspected: before a commit, the server is queried whether the transaction is still the same.
 *
 * <p>{@code unwrap} returns guarded views of the driver's interfaces that are not connections, such as {@code
 * PGConnection} and {@code PGStatement}; {@code isWrapperFor} returns true for these. Objects that such an interface
 * returns, a {@code CopyManager} for example, are not guarded, and must not be kept.
 */
public final class GuardedConnection {
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

    private final Work work;
    private final Connection view;
    private volatile boolean over;

    /**
     * The work that gets a guarded connection.
     *
     * @param name its name at the beginning of messages
     * @param advice the advice that ends the message of a refused call
     * @param mayClose whether {@code close} is ignored; otherwise it is refused
     * @param failure creates the exception for a refused call from its message
     */
    public record Work(
            String name, String advice, boolean mayClose, Function<String, ? extends RuntimeException> failure) {}

    public GuardedConnection(Connection connection, Work work) {
        this.work = work;
        this.view = GuardedObject.ofConnection(this, connection, Connection.class);
    }

    /** Returns the view to hand to the work; always the same. */
    public Connection view() {
        return view;
    }

    String work() {
        return work.name();
    }

    boolean ignores(String method) {
        return work.mayClose() && method.equals("close");
    }

    /** Returns whether work that may close the connection has closed it. */
    boolean isClosed() {
        return over && work.mayClose();
    }

    void requireWork(String method) {
        if (over) {
            throw work.failure()
                    .apply(
                            "%s called %s() on a connection whose transaction has ended; use a connection only during the call that received it"
                                    .formatted(work.name(), method));
        }
    }

    void requireAllowed(String method, int arguments) {
        boolean wholeRollback = arguments == 0 && method.equals("rollback");
        if (wholeRollback || REFUSED.contains(method)) {
            throw work.failure()
                    .apply("%s called %s() on a connection that does not allow it; %s"
                            .formatted(work.name(), method, work.advice()));
        }
    }

    /** Ends the view: further calls to it and to anything that it returned are refused. */
    public void end() {
        over = true;
    }

    @Override
    public String toString() {
        return "a connection for " + work.name();
    }
}
