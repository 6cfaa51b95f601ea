package dev.spream.benchmarks.outbox;

import dev.spream.benchmarks.harness.Parallel;
import java.util.Arrays;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * How long an entry waits in a queue that keeps up: a steady producer commits entries one by one, and the time is taken from
 * before a commit to the beginning of the work.
 */
final class QueueLatency {
    private static final int SECONDS = Integer.getInteger("seconds", 15);
    private static final int PRODUCERS = 8;

    private final int perSecond;

    QueueLatency(int perSecond) {
        this.perSecond = perSecond;
    }

    void measure(WorkQueue queue) throws Exception {
        int entries = perSecond * SECONDS;
        AtomicLongArray enqueuedAt = new AtomicLongArray(entries);
        AtomicLongArray waited = new AtomicLongArray(entries);
        AtomicLong handled = new AtomicLong();
        queue.start(number -> {
            int index = Math.toIntExact(number);
            waited.set(index, System.nanoTime() - enqueuedAt.get(index));
            handled.incrementAndGet();
        });
        long behind = produce(queue, entries, enqueuedAt, handled);
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (handled.get() < entries && System.nanoTime() < deadline) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        queue.stop();
        if (handled.get() < entries || queue.left() != 0) {
            throw new IllegalStateException("%s: %d of %d entries were handled, and %d are not done"
                    .formatted(queue.label(), handled.get(), entries, queue.left()));
        }
        print(queue, waited, behind);
    }

    /** How many entries were not handled at the end of the production. */
    private long produce(WorkQueue queue, int entries, AtomicLongArray enqueuedAt, AtomicLong handled)
            throws Exception {
        long startedAt = System.nanoTime();
        Parallel.sum(Executors.newFixedThreadPool(PRODUCERS), PRODUCERS, first -> () -> {
            for (int i = first; i < entries; i += PRODUCERS) {
                Parallel.waitUntil(startedAt + TimeUnit.SECONDS.toNanos(1) * i / perSecond);
                enqueuedAt.set(i, System.nanoTime());
                queue.enqueue(i);
            }
            return 0L;
        });
        return entries - handled.get();
    }

    private void print(WorkQueue queue, AtomicLongArray waited, long behind) {
        long[] sorted = new long[waited.length()];
        Arrays.setAll(sorted, waited::get);
        Arrays.sort(sorted);
        System.out.printf(
                "%-28s %,d/s for %d s: p50 %.1f ms, p99 %.1f ms, longest %.1f ms, %,d behind at its end%n",
                queue.label(),
                perSecond,
                SECONDS,
                sorted[sorted.length / 2] / 1e6,
                sorted[(int) (sorted.length * 99L / 100)] / 1e6,
                sorted[sorted.length - 1] / 1e6,
                behind);
    }
}
