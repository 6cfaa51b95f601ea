package dev.spream.testkit.event;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
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

    /** Returns a proxy of the target in which the methods of the given names are replaced. */
    public static <P> P of(Class<P> port, P target, Map<String, Answer<P>> spoilt) {
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
