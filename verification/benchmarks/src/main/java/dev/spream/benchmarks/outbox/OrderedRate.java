package dev.spream.benchmarks.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.Sql;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Entries with an ordering key, one at a time for each key: the first part of a backlog that is the same size whatever the
 * number of keys. Goal: the rate does not depend on that number, within a quarter.
 */
final class OrderedRate {
    private static final int BACKLOG = Integer.getInteger("backlog", 1_000_000);
    private static final int DONE = Integer.getInteger("done", 100_000);
    private static final int WARM_UPS = 1;
    private static final List<Integer> KEYS = List.of(100, 10_000, 1_000_000);

    private OrderedRate() {}

    static void measure(HikariDataSource database, int concurrency, int turns) throws Exception {
        System.out.printf("%nordered, %,d entries at a time of %,d, concurrency %d%n", DONE, BACKLOG, concurrency);
        List<Double> medians = new ArrayList<>();
        for (int keys : KEYS) {
            List<Double> rates = rates(database, concurrency, keys, turns);
            Collections.sort(rates);
            double median = rates.get(rates.size() / 2);
            medians.add(median);
            System.out.printf(
                    "%,10d keys %,10.0f entries/s (%,.0f to %,.0f), %.2f times the first%n",
                    keys, median, rates.getFirst(), rates.getLast(), median / medians.getFirst());
        }
    }

    /** Of turns that continue where the one before has stopped. */
    private static List<Double> rates(HikariDataSource database, int concurrency, int keys, int turns)
            throws Exception {
        List<Double> rates = new ArrayList<>();
        try (SpreamQueue queue = new SpreamQueue(database, concurrency, index -> "key " + index % keys)) {
            queue.load(BACKLOG);
            Sql.run(database, "VACUUM ANALYZE spream.outbox_orders, spream.idempo_ledger");
            for (int turn = -WARM_UPS; turn < turns; turn++) {
                double rate = rate(queue, keys);
                if (turn >= 0) {
                    rates.add(rate);
                }
            }
        }
        return rates;
    }

    private static double rate(SpreamQueue queue, int keys) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(DONE);
        long startedAt = System.nanoTime();
        queue.start(number -> left.countDown());
        if (!left.await(10, TimeUnit.MINUTES)) {
            throw new IllegalStateException("%,d keys: %,d entries are left".formatted(keys, left.getCount()));
        }
        double seconds = (System.nanoTime() - startedAt) / 1e9;
        queue.stop();
        return DONE / seconds;
    }
}
