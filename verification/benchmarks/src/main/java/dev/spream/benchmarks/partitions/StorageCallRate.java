package dev.spream.benchmarks.partitions;

import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.subscription.Subscriber;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The rate at which a worker calls its storage while it reads twenty partitions, at three rates of changes: calls a
 * second and calls per 1,000 changes. With default options; the storage is in memory, which does not affect the number
 * of calls. Goal: at most one watermark call a second, at any rate.
 */
public final class StorageCallRate {
    private static final int PARTITIONS = 20;
    private static final int SECONDS = Integer.getInteger("seconds", 20);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private StorageCallRate() {}

    public static void main(String[] args) throws Exception {
        for (long rate : new long[] {100, 1_000, 10_000}) {
            measure(rate);
        }
    }

    private static void measure(long rate) throws Exception {
        Instant start = Instant.now();
        PacedSource source = new PacedSource(PARTITIONS, rate, start);
        CountedStorage counted = new CountedStorage(new InMemoryPartitionStorage());
        LongAdder consumed = new LongAdder();
        try (var running = Executors.newSingleThreadExecutor();
                Subscriber subscriber = Subscriber.builder(source, counted.storage())
                        .options(options -> options.startAt(start))
                        .build()) {
            var run = running.submit(() -> subscriber.run(change -> consumed.increment()));
            TimeUnit.SECONDS.sleep(2); // the start, when partitions are claimed, is not counted
            Map<String, Long> before = counted.calls();
            long changesBefore = consumed.sum();
            long startedAt = System.nanoTime();
            TimeUnit.SECONDS.sleep(SECONDS);
            Map<String, Long> after = counted.calls();
            double seconds = (System.nanoTime() - startedAt) / 1e9;
            print(consumed.sum() - changesBefore, difference(before, after), seconds);
            subscriber.shutdown(TIMEOUT);
            run.get();
        }
    }

    private static Map<String, Long> difference(Map<String, Long> before, Map<String, Long> after) {
        Map<String, Long> difference = new TreeMap<>();
        after.forEach((method, count) -> {
            long more = count - before.getOrDefault(method, 0L);
            if (more > 0) {
                difference.put(method, more);
            }
        });
        return difference;
    }

    private static void print(long changes, Map<String, Long> calls, double seconds) {
        long total = calls.values().stream().mapToLong(Long::longValue).sum();
        System.out.printf(
                "%,8.0f changes/s over %d partitions: %.2f calls/s, %.3f per 1,000 changes%n",
                changes / seconds, PARTITIONS, total / seconds, total * 1_000.0 / changes);
        calls.forEach((method, count) -> System.out.printf("    %-20s %6.2f/s%n", method, count / seconds));
    }
}
