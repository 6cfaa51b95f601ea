package dev.spream.interop;

import dev.spream.core.partition.PartitionStorage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A storage that is called by one thread at a time. Google's emulator has no multiplexed sessions (1.5.28; they came with
 * 1.5.38): it gives a client one session of the old kind, where a transaction ends the one before.
 */
final class OneCallAtATime {
    private OneCallAtATime() {}

    static PartitionStorage of(PartitionStorage storage) {
        ReentrantLock lock = new ReentrantLock();
        return (PartitionStorage) Proxy.newProxyInstance(
                OneCallAtATime.class.getClassLoader(),
                new Class<?>[] {PartitionStorage.class},
                (proxy, method, arguments) -> {
                    lock.lockInterruptibly();
                    try {
                        return method.invoke(storage, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        lock.unlock();
                    }
                });
    }
}
