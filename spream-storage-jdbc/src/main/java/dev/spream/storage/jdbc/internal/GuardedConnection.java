package dev.spream.storage.jdbc.internal;

import java.sql.Connection;
import java.util.Set;
import java.util.function.Function;

/**
 * A view of a connection for user code that must not end its transaction: it refuses the methods that would end the
 * transaction or change its limits. Its statements, rows, arrays and metadata return this view, never the connection
 * behind it. After the work has ended none of them can be used. Each is equal to itself only.
 *
 * <p>Statements are not inspected: before a commit, the server is asked whether the transaction is still the one that
 * was handed over.
 *
 * <p>{@code unwrap} gives interfaces of the driver that are no connections, such as {@code PGConnection} and {@code
 * PGStatement}, and holds them to the same; {@code isWrapperFor} knows which. What such an interface gives out, a {@code
 * CopyManager} for example, is the driver's own, and must not be kept.
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
     * The work that a connection is handed to.
     *
     * @param name as messages call it, at the beginning of a sentence
     * @param advice what a message says after what was refused
     * @param mayClose whether {@code close} is ignored, and else refused
     * @param failure what is thrown when it calls what it must not, by the message
     */
    public record Work(
            String name, String advice, boolean mayClose, Function<String, ? extends RuntimeException> failure) {}

    public GuardedConnection(Connection connection, Work work) {
        this.work = work;
        this.view = GuardedObject.ofConnection(this, connection, Connection.class);
    }

    /** What the work is handed; always the same. */
    public Connection view() {
        return view;
    }

    String work() {
        return work.name();
    }

    boolean ignores(String method) {
        return work.mayClose() && method.equals("close");
    }

    /** Returns whether work that may close it finds it closed. */
    boolean isClosed() {
        return over && work.mayClose();
    }

    void requireWork(String method) {
        if (over) {
            throw work.failure()
                    .apply("%s called %s() on a connection whose transaction is over; it must keep none"
                            .formatted(work.name(), method));
        }
    }

    void requireAllowed(String method, int arguments) {
        boolean wholeRollback = arguments == 0 && method.equals("rollback");
        if (wholeRollback || REFUSED.contains(method)) {
            throw work.failure()
                    .apply("%s called %s() on the connection that it was handed; %s"
                            .formatted(work.name(), method, work.advice()));
        }
    }

    /** To be called when the work is over; it can use nothing of the connection any more. */
    public void end() {
        over = true;
    }

    @Override
    public String toString() {
        return "a connection that is handed to " + work.name();
    }
}
