package dev.spream.cli.http;

import dev.spream.core.StorageException;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A storage in memory that counts how often it is looked at as a whole, and can be told to fail or hang then. */
final class WatchedStorage {
    final AtomicInteger looks = new AtomicInteger();
    volatile boolean broken;
    volatile CountDownLatch hanging = new CountDownLatch(0);

    PartitionStorage storage() {
        PartitionStorage target = new InMemoryPartitionStorage();
        return (PartitionStorage) Proxy.newProxyInstance(
                PartitionStorage.class.getClassLoader(),
                new Class<?>[] {PartitionStorage.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("lineage")) {
                        look();
                    }
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void look() throws InterruptedException {
        looks.incrementAndGet();
        hanging.await();
        if (broken) {
            throw new StorageException("the database is away", true, null);
        }
    }
}
