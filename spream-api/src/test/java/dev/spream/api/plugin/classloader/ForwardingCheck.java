package dev.spream.api.plugin.classloader;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls every method of a port on something that wraps an implementation of it, and looks at what reaches the
 * implementation. A method that the port gains later, with a default or without, is called as well.
 */
final class ForwardingCheck<T> {
    private final Class<T> port;
    private final ClassLoader expected;
    private final List<Call> calls = new ArrayList<>();
    private final T target;
    private @Nullable Throwable failure;

    ForwardingCheck(Class<T> port, ClassLoader expected) {
        this(port, expected, List.of());
    }

    /** Of an implementation that implements more than the port. */
    ForwardingCheck(Class<T> port, ClassLoader expected, List<Class<?>> more) {
        this.port = port;
        this.expected = expected;
        this.target = recorder(port, more);
    }

    private record Call(
            Method method,
            List<Object> arguments,
            @Nullable ClassLoader context,
            @Nullable Object result) {}

    /** The implementation that records what reaches it. */
    T target() {
        return target;
    }

    /** Checks all methods, those with defaults and those of the interfaces above included. */
    void everyMethodReaches(Object wrapper) throws Exception {
        for (Method method : methods()) {
            reaches(wrapper, method);
        }
    }

    /** Checks that what an implementation throws comes out as it is. */
    void everyFailurePasses(Object wrapper) throws Exception {
        failure = new IllegalStateException("the implementation failed");
        for (Method method : methods()) {
            assertThat(thrownBy(wrapper, method)).as(method.toString()).isSameAs(failure);
        }
        failure = null;
    }

    private List<Method> methods() {
        List<Method> methods = Arrays.stream(port.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .toList();
        assertThat(methods).isNotEmpty();
        return methods;
    }

    private void reaches(Object wrapper, Method method) throws Exception {
        calls.clear();
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Object[] arguments =
                Arrays.stream(method.getParameterTypes()).map(PortSamples::of).toArray();
        Object result = method.invoke(wrapper, arguments);
        assertThat(calls).as("calls that %s led to", method).hasSize(1);
        Call call = calls.getFirst();
        assertThat(call.method().getName()).as(method.toString()).isEqualTo(method.getName());
        assertThat(call.method().getParameterTypes()).as(method.toString()).isEqualTo(method.getParameterTypes());
        assertThat(call.context()).as("loader during %s", method).isSameAs(expected);
        assertThat(Thread.currentThread().getContextClassLoader())
                .as("loader after %s", method)
                .isSameAs(before);
        for (int i = 0; i < arguments.length; i++) {
            if (!isWrapped(method.getParameterTypes()[i])) {
                assertThat(call.arguments().get(i)).as(method.toString()).isSameAs(arguments[i]);
            }
        }
        if (!isWrapped(method.getReturnType())) {
            assertThat(result).as(method.toString()).isEqualTo(call.result());
        }
    }

    /** True for types that are wrapped when they are returned, and have checks of their own. */
    private static boolean isWrapped(Class<?> type) {
        return List.of(
                        "Batch",
                        "ChangeFile",
                        "Claim",
                        "ChangeStreamCursor",
                        "EventFeed",
                        "EventSource",
                        "Preparation",
                        "Beginning",
                        "Progress",
                        "ProjectionRebuilds",
                        "RetryWork",
                        "SearchIndex",
                        "OutboxTransaction",
                        "Runnable",
                        "Watch",
                        "Watcher",
                        "Work")
                .contains(type.getSimpleName());
    }

    private @Nullable Throwable thrownBy(Object wrapper, Method method) throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try {
            method.invoke(
                    wrapper,
                    Arrays.stream(method.getParameterTypes())
                            .map(PortSamples::of)
                            .toArray());
            return null;
        } catch (InvocationTargetException e) {
            assertThat(Thread.currentThread().getContextClassLoader())
                    .as("loader after %s failed", method)
                    .isSameAs(before);
            return e.getCause();
        }
    }

    private T recorder(Class<T> type, List<Class<?>> more) {
        List<Class<?>> faces = new ArrayList<>(more);
        faces.add(type);
        return type.cast(Proxy.newProxyInstance(
                ForwardingCheck.class.getClassLoader(), faces.toArray(Class<?>[]::new), (proxy, method, arguments) -> {
                    if (method.getDeclaringClass() == Object.class) {
                        return method.getName().equals("toString") ? "the target" : null;
                    }
                    if (failure != null) {
                        throw failure;
                    }
                    Object result =
                            method.getReturnType() == void.class ? null : PortSamples.of(method.getReturnType());
                    calls.add(new Call(
                            method,
                            arguments == null ? List.of() : List.of(arguments),
                            Thread.currentThread().getContextClassLoader(),
                            result));
                    return result;
                }));
    }
}
