package dev.spream.spring.jdbc;

import dev.spream.core.partition.PartitionStorage;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A storage that is opened by its first call, so that assembling a subscription needs no database. Opening is repeated
 * after a failure. Closing it closes nothing, since the next run of the subscription uses it again. Safe for use by many
 * threads.
 */
final class LazyStorage implements InvocationHandler {
    private final Supplier<? extends PartitionStorage> opening;
    private final ReentrantLock lock = new ReentrantLock(); // opening blocks
    private volatile @Nullable PartitionStorage opened;

    private LazyStorage(Supplier<? extends PartitionStorage> opening) {
        this.opening = opening;
    }

    static PartitionStorage of(Supplier<? extends PartitionStorage> opening) {
        return (PartitionStorage) Proxy.newProxyInstance(
                PartitionStorage.class.getClassLoader(),
                new Class<?>[] {PartitionStorage.class},
                new LazyStorage(opening));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.getDeclaringClass() == Object.class) {
            return ofObject(proxy, method, arguments);
        }
        if (method.getName().equals("close")) {
            return null;
        }
        try {
            return method.invoke(storage(), arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    @SuppressWarnings("ReferenceEquality") // each proxy equals only itself
    private static Object ofObject(Object proxy, Method method, Object @Nullable [] arguments) {
        return switch (method.getName()) {
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "LazyStorage";
        };
    }

    private PartitionStorage storage() {
        PartitionStorage known = opened;
        if (known != null) {
            return known;
        }
        lock.lock();
        try {
            known = opened == null ? opening.get() : opened;
            opened = known;
            return known;
        } finally {
            lock.unlock();
        }
    }
}
