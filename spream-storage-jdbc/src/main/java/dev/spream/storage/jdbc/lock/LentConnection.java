package dev.spream.storage.jdbc.lock;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * What a handle and its work see of a connection: all of it, but that closing does nothing. The store gives the connection
 * back, once it has taken back what it set for the session. Equal to nothing but itself.
 */
final class LentConnection implements InvocationHandler {
    private final Connection connection;

    private LentConnection(Connection connection) {
        this.connection = connection;
    }

    static Connection of(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                LentConnection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new LentConnection(connection));
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // it is what this equality is
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        return switch (method.getName()) {
            case "close" -> null;
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> call(method, arguments);
        };
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
