package dev.spream.benchmarks.reading;

import dev.spream.benchmarks.harness.Comparison;
import dev.spream.benchmarks.harness.Measurements;
import dev.spream.benchmarks.harness.Subscriptions;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.subscription.Subscriber;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * The cost of whole transactions: their rate compared with that of single changes in order by key, on a source with
 * negligible cost whose transactions change a row in each of two partitions; and the time from a commit to the consumer,
 * with both partitions busy, and with a third that is idle.
 */
public final class TransactionCost {
    private static final int TRANSACTIONS = Integer.getInteger("transactions", 100_000);
    private static final int WARM_UPS = Integer.getInteger("warmUps", 2);
    private static final int TURNS = Integer.getInteger("turns", 5);
    private static final int SECONDS = Integer.getInteger("seconds", 20);
    private static final int MAX_INFLIGHT = 64;
    private static final int PER_SECOND = 100;
    private static final Duration WARM_UP = Duration.ofSeconds(3);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private TransactionCost() {}

    public static void main(String[] args) throws Exception {
        Comparison comparison = new Comparison("transactions of 2 changes in 2 partitions", 2L * TRANSACTIONS);
        for (TransactionMode mode : TransactionMode.values()) {
            comparison.add("spream, " + mode, () -> read(mode));
        }
        comparison.run(WARM_UPS, TURNS);
        System.out.printf("%nfrom a commit to its consumer, %d transactions a second%n", PER_SECOND);
        for (boolean hasIdle : new boolean[] {false, true}) {
            for (Duration heartbeats : new Duration[] {Duration.ofSeconds(1), Duration.ofMillis(200)}) {
                for (TransactionMode mode : TransactionMode.values()) {
                    Measurements.printTimes(
                            "%s, %s, heartbeats %d ms"
                                    .formatted(mode, hasIdle ? "one idle" : "all busy", heartbeats.toMillis()),
                            latencies(mode, heartbeats, hasIdle));
                }
            }
        }
    }

    private static long read(TransactionMode mode) {
        LongAdder consumed = new LongAdder();
        ChangeHandler consumer = change -> consumed.increment();
        try (PairSource source = PairSource.bounded(TRANSACTIONS)) {
            Subscriptions.readToEnd(
                    source,
                    consumer,
                    options -> options.startAt(PairSource.START)
                            .endAt(PairSource.END)
                            .maxInflight(MAX_INFLIGHT)
                            .transactionMode(mode));
        }
        return consumed.sum();
    }

    private static Collection<Long> latencies(TransactionMode mode, Duration heartbeats, boolean hasIdle)
            throws Exception {
        Collection<Long> nanos = new ConcurrentLinkedQueue<>();
        Instant start = Instant.now();
        Instant measured = start.plus(WARM_UP);
        ChangeHandler consumer = change -> {
            if (change.commitTimestamp().isAfter(measured)) {
                nanos.add(Duration.between(change.commitTimestamp(), Instant.now())
                        .toNanos());
            }
        };
        try (ExecutorService running = Executors.newSingleThreadExecutor();
                PairSource source = PairSource.paced(PER_SECOND, hasIdle);
                Subscriber subscriber = Subscriber.builder(source, new InMemoryPartitionStorage())
                        .options(options -> options.startAt(start)
                                .heartbeatInterval(heartbeats)
                                .maxInflight(MAX_INFLIGHT)
                                .transactionMode(mode))
                        .build()) {
            Future<?> run = running.submit(() -> subscriber.run(consumer));
            TimeUnit.SECONDS.sleep(SECONDS + WARM_UP.toSeconds());
            subscriber.shutdown(TIMEOUT);
            run.get();
        }
        return nanos;
    }
}
