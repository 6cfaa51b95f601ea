package dev.spream.storage.jdbc.internal;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Wrapper;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

/**
 * A guarded connection, or an object obtained from it. Objects that its methods return are guarded as well if they
 * could lead to the connection. Preparing, binding, executing and closing a statement takes about a microsecond more
 * than without.
 */
final class GuardedObject implements InvocationHandler {
    private final GuardedConnection guard;
    private final Object target;
    private final boolean connection; // or an interface of it
    private final @Nullable Statement statement; // that returned these rows, as a guarded object

    private GuardedObject(GuardedConnection guard, Object target, boolean connection, @Nullable Statement statement) {
        this.guard = guard;
        this.target = target;
        this.connection = connection;
        this.statement = statement;
    }

    static <V> V ofConnection(GuardedConnection guard, Object target, Class<V> type) {
        return new GuardedObject(guard, target, true, null).as(type);
    }

    private <V> V as(Class<V> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this));
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // each object equals only itself
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return switch (method.getName()) {
                case "equals" -> arguments != null && proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> connection ? guard.toString() : target.toString();
            };
        }
        if (connection && guard.ignores(method.getName())) {
            return null;
        }
        if (connection && guard.isClosed() && method.getName().equals("isClosed")) {
            return true;
        }
        guard.requireWork(method.getName());
        if (connection) {
            guard.requireAllowed(method.getName(), method.getParameterCount());
        }
        if (method.getDeclaringClass() == Wrapper.class && arguments != null) {
            Class<?> type = (Class<?>) arguments[0];
            return method.getName().equals("unwrap") ? unwrap(proxy, type) : isWrapperFor(proxy, type);
        }
        return seen(proxy, method, call(method, arguments));
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, given(arguments));
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    /** Replaces guarded arrays by those of the driver, which accepts no others. */
    private static Object @Nullable [] given(Object @Nullable [] arguments) {
        if (arguments == null) {
            return null;
        }
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] instanceof Array array
                    && Proxy.isProxyClass(array.getClass())
                    && Proxy.getInvocationHandler(array) instanceof GuardedObject guarded) {
                arguments[i] = guarded.target;
            }
        }
        return arguments;
    }

    private @Nullable Object seen(Object proxy, Method method, @Nullable Object result) {
        Class<?> type = method.getReturnType();
        if (result == null || !(type.isInterface() || type == Object.class)) {
            return result;
        }
        return switch (result) {
            case Connection any -> guard.view();
            case Statement any when statement != null -> statement;
            case CallableStatement call -> guarded(call).as(CallableStatement.class);
            case PreparedStatement prepared -> guarded(prepared).as(PreparedStatement.class);
            case Statement any -> guarded(any).as(Statement.class);
            case ResultSet rows ->
                new GuardedObject(guard, rows, false, proxy instanceof Statement of ? of : null).as(ResultSet.class);
            case DatabaseMetaData metadata -> guarded(metadata).as(DatabaseMetaData.class);
            case Array array -> guarded(array).as(Array.class);
            default -> result;
        };
    }

    private GuardedObject guarded(Object found) {
        return new GuardedObject(guard, found, false, null);
    }

    private Object unwrap(Object proxy, Class<?> type) throws SQLException {
        if (type.isInstance(proxy)) {
            return proxy;
        }
        if (!mayBeSeen(type)) {
            throw new PSQLException(
                    "%s called unwrap for %s, but classes and connections cannot be unwrapped here; unwrap an interface such as PGConnection"
                            .formatted(guard.work(), type.getName()),
                    PSQLState.NOT_IMPLEMENTED);
        }
        return new GuardedObject(guard, ((Wrapper) target).unwrap(type), connection, null).as(type);
    }

    private boolean isWrapperFor(Object proxy, Class<?> type) throws SQLException {
        return type.isInstance(proxy) || (mayBeSeen(type) && ((Wrapper) target).isWrapperFor(type));
    }

    /** Returns whether no method of the type leads around the guard. */
    private static boolean mayBeSeen(Class<?> type) {
        return type.isInterface() && !Connection.class.isAssignableFrom(type);
    }
}
