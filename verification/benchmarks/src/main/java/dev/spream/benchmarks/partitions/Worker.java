package dev.spream.benchmarks.partitions;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.Postgres;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A worker with a pool and a storage of its own, over PostgreSQL, that records when it acquired and released each
 * partition. Safe for use by many threads.
 */
final class Worker implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Map<PartitionToken, Long> acquired = new ConcurrentHashMap<>();
    private final Map<PartitionToken, Long> released = new ConcurrentHashMap<>();
    private final HikariDataSource pool;
    private final PartitionStorage storage;
    private final Subscriber subscriber;
    private final Thread thread;

    Worker(String name, String url, String subscription, PacedSource source, Instant start, Duration leaseTime) {
        pool = Postgres.pool(url);
        storage = JdbcPartitionStorage.create(pool, subscription);
        subscriber = Subscriber.builder(source, storage)
                .options(options -> options.startAt(start)
                        .worker(new WorkerId(name))
                        .leaseTime(leaseTime)
                        .listener(new Listener()))
                .build();
        thread = Thread.ofPlatform().name(name).start(() -> subscriber.run(change -> {}));
    }

    /** Returns when each partition was acquired last, including released ones, by {@link System#nanoTime}. */
    Map<PartitionToken, Long> acquired() {
        return Map.copyOf(acquired);
    }

    Map<PartitionToken, Long> released() {
        return Map.copyOf(released);
    }

    /** Waits until the worker holds that many partitions, without the root. */
    void awaitHeld(int partitions) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (held() != partitions) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(
                        "%s holds %d partitions, not %d".formatted(thread.getName(), held(), partitions));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private long held() {
        return acquired.keySet().stream()
                .filter(partition -> !partition.isRoot() && !released.containsKey(partition))
                .count();
    }

    @Override
    public void close() {
        subscriber.shutdown(TIMEOUT); // returns when the run has ended
        storage.close();
        pool.close();
    }

    private final class Listener implements SubscriptionListener {
        @Override
        public void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {
            released.remove(partition);
            acquired.put(partition, System.nanoTime());
        }

        @Override
        public void partitionReleased(PartitionToken partition) {
            released.put(partition, System.nanoTime());
        }
    }
}
