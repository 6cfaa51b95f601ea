package dev.spream.testkit.event;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Wraps an implementation that keeps a contract into one that violates it. */
public final class ContractBreakers {
    private ContractBreakers() {}

    /** The behaviour that replaces that of a method, to violate the contract. */
    @FunctionalInterface
    public interface Answer<P> {
        @Nullable
        Object of(P target, Object[] arguments) throws Throwable;
    }

    /**
     * Returns a proxy of the target in which the methods of the given names are replaced.
     *
     * @throws IllegalArgumentException if the port has no method of such a name
     */
    public static <P> P of(Class<P> port, P target, Map<String, Answer<P>> spoilt) {
        for (String name : spoilt.keySet()) {
            if (Stream.of(port.getMethods())
                    .noneMatch(method -> method.getName().equals(name))) {
                throw new IllegalArgumentException("%s has no method '%s'".formatted(port.getName(), name));
            }
        }
        return port.cast(Proxy.newProxyInstance(
                port.getClassLoader(), new Class<?>[] {port}, (proxy, method, arguments) -> {
                    Answer<P> answer = spoilt.get(method.getName());
                    if (answer != null) {
                        return answer.of(target, arguments);
                    }
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                }));
    }

    public static <P> P of(Class<P> port, P target, String method, Answer<P> answer) {
        return of(port, target, Map.of(method, answer));
    }
}
