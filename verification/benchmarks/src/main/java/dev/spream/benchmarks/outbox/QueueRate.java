package dev.spream.benchmarks.outbox;

import static java.util.Objects.requireNonNull;

import dev.spream.benchmarks.harness.Figures;
import dev.spream.benchmarks.harness.Measurements;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The rate at which queues work off a backlog whose tasks cost nothing, in turns of one repetition each, so that their
 * ratio within a turn is more reliable than their rates.
 */
final class QueueRate {
    private static final int TURNS = Integer.getInteger("turns", 5);
    private static final int WARM_UPS = Integer.getInteger("warmUps", 1);
    private static final long TIMEOUT_MINUTES = 10;

    private QueueRate() {}

    /** Prints a table; the first queue is what the others are compared with. */
    static void drain(String title, List<WorkQueue> queues, int entries) throws Exception {
        Map<WorkQueue, List<Double>> rates = new LinkedHashMap<>();
        for (int turn = -WARM_UPS; turn < TURNS; turn++) {
            for (WorkQueue queue : queues) {
                double rate = drain(queue, entries);
                if (turn >= 0) {
                    rates.computeIfAbsent(queue, ignored -> new ArrayList<>()).add(rate);
                }
            }
        }
        System.out.printf("%n%s: %,d entries, %d turns%n", title, entries, TURNS);
        List<Double> base = requireNonNull(rates.get(queues.getFirst()));
        rates.forEach((queue, its) -> System.out.printf(
                "%-28s %,10.0f entries/s   %s is %s times as fast%n",
                queue.label(), Measurements.median(its), queues.getFirst().label(), Measurements.ratios(base, its)));
        Map<String, List<Double>> figures = new LinkedHashMap<>();
        rates.forEach((queue, its) -> figures.put(queue.label(), its));
        new Figures(title, "entries/s", "spream 1.2 times as fast as db-scheduler and transaction-outbox", figures)
                .keep();
    }

    private static double drain(WorkQueue queue, int entries) throws Exception {
        queue.load(entries);
        CountDownLatch left = new CountDownLatch(entries);
        long startedAt = System.nanoTime();
        queue.start(number -> left.countDown());
        if (!left.await(TIMEOUT_MINUTES, TimeUnit.MINUTES)) {
            throw new IllegalStateException("%s: %d of %d entries are left after %d minutes"
                    .formatted(queue.label(), left.getCount(), entries, TIMEOUT_MINUTES));
        }
        double seconds =
                (System.nanoTime() - startedAt) / 1e9; // without the stop, for which each has a protocol of its own
        queue.stop();
        long remaining = queue.left();
        if (remaining != 0) {
            throw new IllegalStateException(
                    "%s: %d entries were handled and are not done".formatted(queue.label(), remaining));
        }
        return entries / seconds;
    }
}
