package dev.spream.benchmarks.partitions;

import dev.spream.core.partition.PartitionStorage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts the calls to a storage, by method. Safe for use by many threads. */
final class CountedStorage {
    private final Map<String, LongAdder> calls = new ConcurrentHashMap<>();
    private final PartitionStorage storage;

    CountedStorage(PartitionStorage counted) {
        storage = (PartitionStorage) Proxy.newProxyInstance(
                PartitionStorage.class.getClassLoader(),
                new Class<?>[] {PartitionStorage.class},
                (proxy, method, arguments) -> {
                    calls.computeIfAbsent(method.getName(), name -> new LongAdder())
                            .increment();
                    try {
                        return method.invoke(counted, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    PartitionStorage storage() {
        return storage;
    }

    Map<String, Long> calls() {
        Map<String, Long> now = new TreeMap<>();
        calls.forEach((method, count) -> now.put(method, count.sum()));
        return now;
    }
}
