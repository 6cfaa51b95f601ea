package dev.spream.storage.jdbc.projection;

import dev.spream.core.projection.FailureKind;
import dev.spream.core.projection.ProjectionFailure;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * What a projection sees of the connection: all of it, but what would end the transaction or change its manners. Once the work
 * is over nothing of it can be used any more. Equal to nothing but itself.
 */
final class GuardedConnection implements InvocationHandler {
    private static final Set<String> REFUSED = Set.of(
            "abort", "close", "commit", "setAutoCommit", "setNetworkTimeout", "setReadOnly", "setTransactionIsolation");

    private final Connection connection;
    private volatile boolean over;

    GuardedConnection(Connection connection) {
        this.connection = connection;
    }

    Connection view() {
        return (Connection) Proxy.newProxyInstance(
                GuardedConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, this);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // it is what this equality is
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        return switch (method.getName()) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> "the connection of a projection's transaction";
            default -> call(method, arguments);
        };
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        boolean wholeRollback = name.equals("rollback") && method.getParameterCount() == 0;
        if (over || wholeRollback || REFUSED.contains(name)) {
            throw refusal(name);
        }
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private ProjectionFailure refusal(String method) {
        return failure(
                over
                        ? "a projection called %s() on a connection whose transaction is over; it must keep none"
                                .formatted(method)
                        : "a projection called %s() on the connection that it was handed; whoever runs it ends the transaction"
                                .formatted(method));
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
        if (!connection.isWrapperFor(BaseConnection.class)) {
            return;
        }
        TransactionState state = connection.unwrap(BaseConnection.class).getTransactionState();
        if (state == TransactionState.IDLE) {
            throw failure(
                    "a projection ended the transaction that it was handed by a statement; its effects are not safe");
        }
        if (state == TransactionState.FAILED) {
            throw new ProjectionFailure(
                    FailureKind.POISON,
                    "a projection went on after an error of the server, which has undone the whole transaction; it must throw"
                            + " what it catches, or set a savepoint before",
                    null);
        }
    }

    private static ProjectionFailure failure(String message) {
        return new ProjectionFailure(FailureKind.FATAL, message, null);
    }
}
