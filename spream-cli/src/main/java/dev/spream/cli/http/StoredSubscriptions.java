package dev.spream.cli.http;

import dev.spream.api.spi.SubscriptionCatalog;
import dev.spream.core.LoggedFailure;
import dev.spream.core.partition.PartitionStorage;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The subscriptions of a storage, each opened on first use. Safe for use by many threads. */
public final class StoredSubscriptions implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(StoredSubscriptions.class);

    private final Supplier<SubscriptionCatalog> catalog;
    private final Map<String, Opened> opened = new ConcurrentHashMap<>();

    /** @param catalog opens the catalog on the first call; fails if it cannot be opened yet */
    public StoredSubscriptions(Supplier<SubscriptionCatalog> catalog) {
        this.catalog = catalog;
    }

    public List<String> names() {
        return catalog.get().names();
    }

    /** Returns the name of the configured subscription in the catalog. */
    public String configured() {
        return catalog.get().configured();
    }

    public PartitionStorage storage(String name) {
        SubscriptionCatalog known = catalog.get();
        return opened.computeIfAbsent(name, opening -> new Opened()).get(() -> known.open(name));
    }

    /** Closes the storages; the catalog is left open. Failures are only logged. */
    @Override
    public void close() {
        opened.forEach((name, storage) -> {
            try {
                storage.close();
            } catch (RuntimeException e) {
                log.warn("closing the storage of {} failed; nothing else is affected", name, LoggedFailure.of(e));
            }
        });
        opened.clear();
    }

    /** One storage, with a lock of its own: one that opens slowly holds up no other. */
    private static final class Opened {
        private final ReentrantLock lock = new ReentrantLock();
        private @Nullable PartitionStorage storage; // guarded by the lock

        PartitionStorage get(Supplier<PartitionStorage> opening) {
            lock.lock();
            try {
                PartitionStorage known = storage;
                if (known == null) {
                    known = opening.get();
                    storage = known;
                }
                return known;
            } finally {
                lock.unlock();
            }
        }

        void close() {
            lock.lock();
            try {
                if (storage != null) {
                    storage.close();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
