package dev.spream.servers;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A wrapper of the Spanner client that is called by one thread at a time. Google's emulator has no multiplexed sessions
 * (1.5.28; they came with 1.5.38): it gives a client one session of the old kind, where a transaction ends the previous
 * one.
 */
public final class OneCallAtATime {
    private OneCallAtATime() {}

    /**
     * Serialises the calls of an interface.
     *
     * @param type the interface
     * @param called its implementation
     */
    public static <T> T of(Class<T> type, T called) {
        ReentrantLock lock = new ReentrantLock();
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    lock.lockInterruptibly();
                    try {
                        return method.invoke(called, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        lock.unlock();
                    }
                }));
    }
}
