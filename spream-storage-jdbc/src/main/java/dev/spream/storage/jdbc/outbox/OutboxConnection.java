package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.OutboxTransaction;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Wrapper;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A connection of an {@link OutboxDataSource}, which has the messages of its transaction sent once it has committed.
 * Its statements and metadata are those of the driver or pool, but return this connection. Used by one thread at a time.
 */
final class OutboxConnection implements InvocationHandler {
    private final Connection target;
    private final TransactionMessages messages;

    /** The interface by which wrappers of a connection find it; they call it by reflection. */
    public interface View {
        /** Returns the messages of the current transaction. */
        OutboxTransaction messages(JdbcOutbox outbox);
    }

    private OutboxConnection(Connection target) {
        this.target = target;
        this.messages = new TransactionMessages(target);
    }

    static Connection of(Connection target) {
        return (Connection) Proxy.newProxyInstance(
                View.class.getClassLoader(),
                new Class<?>[] {Connection.class, View.class},
                new OutboxConnection(target));
    }

    /** Returns the messages of a transaction on a connection of an {@link OutboxDataSource}; empty on another. */
    static Optional<OutboxTransaction> messages(Connection connection, JdbcOutbox outbox) throws SQLException {
        return connection.isWrapperFor(View.class)
                ? Optional.of(connection.unwrap(View.class).messages(outbox))
                : Optional.empty();
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // each connection equals only itself
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        boolean plain = arguments == null;
        switch (method.getName()) {
            case "messages" -> {
                return messages.of((JdbcOutbox) requireArgument(arguments));
            }
            case "equals" -> {
                return proxy == requireArgument(arguments);
            }
            case "hashCode" -> {
                return System.identityHashCode(proxy);
            }
            case "commit" -> messages.commit(target::commit);
            case "setAutoCommit" -> setAutoCommit((Boolean) requireArgument(arguments));
            case "close" -> messages.end(target::close);
            case "rollback" -> {
                if (plain) {
                    messages.end(target::rollback);
                } else {
                    messages.partlyRolledBack();
                    return call(target, method, arguments);
                }
            }
            default -> {
                return method.getDeclaringClass() == Wrapper.class
                                && ((Class<?>) requireArgument(arguments)).isInstance(proxy)
                        ? method.getName().equals("unwrap") ? proxy : true
                        : seen((Connection) proxy, method, call(target, method, arguments));
            }
        }
        return null;
    }

    /** Changes the mode; turning it on within a transaction commits that. */
    private void setAutoCommit(boolean on) throws SQLException {
        if (on && !target.getAutoCommit()) {
            messages.commit(() -> target.setAutoCommit(true));
        } else {
            target.setAutoCommit(on);
        }
    }

    private static Object requireArgument(Object @Nullable [] arguments) {
        if (arguments == null) {
            throw new IllegalStateException("a method with an argument was called without one");
        }
        return arguments[0];
    }

    /** Returns a statement or metadata with this as its connection, and any other result as it is. */
    @SuppressWarnings("ReferenceEquality") // each part equals only itself
    private static @Nullable Object seen(Connection proxy, Method method, @Nullable Object result) {
        Class<?> type = method.getReturnType();
        return result instanceof Statement || result instanceof DatabaseMetaData
                ? Proxy.newProxyInstance(
                        View.class.getClassLoader(),
                        new Class<?>[] {type},
                        (part, called, arguments) -> switch (called.getName()) {
                            case "getConnection" -> proxy;
                            case "equals" -> part == requireArgument(arguments);
                            default -> call(result, called, arguments);
                        })
                : result;
    }

    private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
