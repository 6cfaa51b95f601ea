package dev.spream.api.metrics;

import dev.spream.core.StorageException;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionStorage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A storage in memory of which one method misbehaves. */
final class SpoiledStorage {
    private SpoiledStorage() {}

    /** The first call of the method fails in a way that passes. */
    static PartitionStorage failingOnce(String method) {
        AtomicInteger calls = new AtomicInteger();
        return of((name, arguments, result) -> {
            if (name.equals(method) && calls.getAndIncrement() == 0) {
                throw new StorageException("not now", true, null);
            }
            return result;
        });
    }

    /** No lease can be renewed. */
    static PartitionStorage losingLeases() {
        return of((name, arguments, result) -> name.equals("renew")
                ? ((Collection<?>) arguments[0])
                        .stream()
                                .map(PartitionLease.class::cast)
                                .map(PartitionLease::token)
                                .collect(Collectors.toSet())
                : result);
    }

    private interface Spoiling {
        @Nullable
        Object apply(String method, Object[] arguments, @Nullable Object result);
    }

    private static PartitionStorage of(Spoiling spoiling) {
        PartitionStorage storage = new InMemoryPartitionStorage();
        return (PartitionStorage) Proxy.newProxyInstance(
                PartitionStorage.class.getClassLoader(),
                new Class<?>[] {PartitionStorage.class},
                (proxy, method, arguments) -> {
                    try {
                        Object[] given = arguments == null ? new Object[0] : arguments;
                        return spoiling.apply(method.getName(), given, method.invoke(storage, given));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
