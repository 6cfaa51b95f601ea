package dev.spream.benchmarks.outbox;

import dev.spream.benchmarks.harness.Measurements;
import dev.spream.benchmarks.harness.Parallel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * The time that an entry waits in a queue that keeps up: a steady producer commits entries one by one, and the time is
 * taken from before a commit to the beginning of the work.
 */
record QueueLatency(int perSecond) {
    private static final int SECONDS = Integer.getInteger("seconds", 15);
    private static final int WARM_UP_SECONDS = 5;
    private static final int PRODUCERS = 8;

    /** Prints the times, and returns them in nanoseconds. */
    List<Long> measure(WorkQueue queue) throws Exception {
        int entries = perSecond * (WARM_UP_SECONDS + SECONDS);
        AtomicLongArray enqueuedAt = new AtomicLongArray(entries);
        AtomicLongArray waited = new AtomicLongArray(entries);
        AtomicLong handled = new AtomicLong();
        queue.start(number -> {
            int index = Math.toIntExact(number);
            waited.set(index, System.nanoTime() - enqueuedAt.get(index));
            handled.incrementAndGet();
        });
        Parallel.paced(PRODUCERS, entries, perSecond, i -> {
            enqueuedAt.set(i, System.nanoTime());
            queue.enqueue(i);
        });
        long behind = entries - handled.get();
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (handled.get() < entries && System.nanoTime() < deadline) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        queue.stop();
        if (handled.get() < entries || queue.left() != 0) {
            throw new IllegalStateException("%s: %d of %d entries were handled, and %d are not done"
                    .formatted(queue.label(), handled.get(), entries, queue.left()));
        }
        return print(queue, waited, behind);
    }

    private List<Long> print(WorkQueue queue, AtomicLongArray waited, long behind) {
        List<Long> nanos = IntStream.range(perSecond * WARM_UP_SECONDS, waited.length())
                .mapToObj(waited::get)
                .toList();
        System.out.printf(
                "%-28s %,d/s for %d s: %s, %,d behind at its end%n",
                queue.label(), perSecond, SECONDS, Measurements.times(nanos, 2), behind);
        return nanos;
    }
}
