package dev.spream.testkit.event;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes of something that keeps a contract something that does not. */
public final class ContractBreakers {
    private ContractBreakers() {}

    /** The behaviour of a broken method. */
    @FunctionalInterface
    public interface Answer<P> {
        @Nullable
        Object of(P target, Object[] arguments) throws Throwable;
    }

    /** Does what the target does, but for the methods of these names. */
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
