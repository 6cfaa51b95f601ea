package dev.spream.api.plugin.classloader;

import dev.spream.core.SpreamException;
import dev.spream.core.consume.Consumer;
import dev.spream.core.source.ChangeStreamCursor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Wraps objects of a plug-in so that every call runs with the plug-in's class loader as the thread's context class
 * loader. Objects returned by their methods are wrapped likewise. Objects passed to them, such as the work of a
 * transaction, are wrapped in reverse and called with the context class loader of the host's thread.
 *
 * <p>Values are wrapped if their declared type is an interface that is neither sealed nor from the JDK, or is {@link
 * Runnable}; all others are passed unchanged. Types that are called for every record have handwritten wrappers, all
 * others a {@link Proxy}.
 */
public final class ClassLoaderSafe {
    private ClassLoaderSafe() {}

    /**
     * Returns the target wrapped for calls in the scope; unchanged if the scope changes nothing.
     *
     * @param type the interface by which it is called. Public interfaces that extend it are kept, since the engine
     *     detects capabilities by them
     */
    public static <T> T of(Class<? super T> type, T target, ThreadContextClassLoader scope) {
        return scope.changesLoader() ? wrapped(type, target, scope) : target;
    }

    /** Returns the target wrapped with another {@code close}. */
    public static <T> T closing(Class<? super T> type, T target, Runnable close) {
        return proxy(type, target, (method, arguments) -> {
            if (method.getName().equals("close") && arguments == null) {
                close.run();
                return null;
            }
            return call(method, target, arguments);
        });
    }

    @SuppressWarnings("unchecked") // both implement the interface
    private static <T> T wrapped(Class<? super T> type, T target, ThreadContextClassLoader scope) {
        if (type == Consumer.class) {
            return (T) ClassLoaderSafeConsumer.of((Consumer) target, scope);
        }
        if (type == ChangeStreamCursor.class) {
            return (T) new ClassLoaderSafeCursor((ChangeStreamCursor) target, scope);
        }
        return proxy(type, target, (method, arguments) -> {
            @Nullable Object[] handed = asHost(method, arguments);
            Optional<Object> result = scope.call(() -> Optional.ofNullable(call(method, target, handed)));
            return inScope(method.getGenericReturnType(), result.orElse(null), scope);
        });
    }

    @SuppressWarnings("ReferenceEquality") // a wrapper with the same target and another scope is not equal
    private static Object ofObject(Object proxy, Method method, Object target, Object[] arguments) {
        return switch (method.getName()) {
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> target.toString();
        };
    }

    private static @Nullable Object[] asHost(Method method, @Nullable Object @Nullable [] arguments) {
        if (arguments == null) {
            return new Object[0];
        }
        ThreadContextClassLoader host = ThreadContextClassLoader.ofThisThread();
        Class<?>[] types = method.getParameterTypes();
        @Nullable Object[] handed = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            handed[i] = inScope(types[i], arguments[i], host);
        }
        return handed;
    }

    @SuppressWarnings("unchecked") // a value of the declared type
    private static @Nullable Object inScope(Type declared, @Nullable Object value, ThreadContextClassLoader scope) {
        if (value instanceof Optional<?> optional && declared instanceof ParameterizedType of) {
            return optional.map(content -> inScope(of.getActualTypeArguments()[0], content, scope));
        }
        Type raw = declared instanceof ParameterizedType of ? of.getRawType() : declared;
        return value != null && raw instanceof Class<?> type && isBehaviour(type)
                ? wrapped((Class<Object>) type, value, scope)
                : value;
    }

    private static boolean isBehaviour(Class<?> type) {
        return type.isInterface()
                && !type.isSealed()
                && (type == Runnable.class || !type.getPackageName().startsWith("java."));
    }

    @SuppressWarnings("unchecked") // the proxy implements the interface
    private static <T> T proxy(Class<? super T> type, T target, Calls calls) {
        Set<Class<?>> interfaces = new LinkedHashSet<>(Set.of(type));
        for (Class<?> at = target.getClass(); at != null; at = at.getSuperclass()) {
            addInterfaces(type, at, interfaces);
        }
        return (T) Proxy.newProxyInstance(
                type.getClassLoader(),
                interfaces.toArray(Class<?>[]::new),
                (proxy, method, arguments) -> method.getDeclaringClass() == Object.class
                        ? ofObject(proxy, method, target, arguments)
                        : declared(method, () -> calls.call(method, arguments)));
    }

    /** Throws exceptions that the method declares. A plug-in in another language may throw any checked exception. */
    private static @Nullable Object declared(Method method, Call call) throws Throwable {
        try {
            return call.call();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            if (Arrays.stream(method.getExceptionTypes()).anyMatch(type -> type.isInstance(e))) {
                throw e;
            }
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new SpreamException(
                    "%s.%s threw an exception that it does not declare: %s"
                            .formatted(method.getDeclaringClass().getSimpleName(), method.getName(), e),
                    e);
        }
    }

    private interface Calls {
        @Nullable
        Object call(Method method, @Nullable Object @Nullable [] arguments) throws Throwable;
    }

    private interface Call {
        @Nullable
        Object call() throws Throwable;
    }

    private static void addInterfaces(Class<?> type, Class<?> of, Set<Class<?>> interfaces) {
        for (Class<?> face : of.getInterfaces()) {
            boolean known = face == AutoCloseable.class
                    || (type.isAssignableFrom(face)
                            && Objects.equals(type.getClassLoader(), face.getClassLoader())
                            && Modifier.isPublic(face.getModifiers())
                            && !face.isSealed());
            if (known) {
                interfaces.add(face);
            }
            addInterfaces(type, face, interfaces);
        }
    }

    private static @Nullable Object call(Method method, Object target, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
