package dev.spream.benchmarks.locks;

import dev.spream.benchmarks.harness.Measurements;
import dev.spream.benchmarks.harness.Parallel;
import dev.spream.benchmarks.locks.LockRate.NamedLocks;
import dev.spream.core.DurationText;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.LockWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** The waits for locks under contention. */
final class LockWaits {
    private static final int THREADS = 8;
    private static final int ACCOUNTS = 4;
    private static final int LOCKS_OF_THREAD = Integer.getInteger("contended", 250);
    private static final long HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final int READERS = 4;
    private static final long READ_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int WRITES = Integer.getInteger("writes", 20);
    private static final Duration WRITER_TIMEOUT = Duration.ofSeconds(5);

    private LockWaits() {}

    /** Measures eight threads that lock four accounts, one at a time each, and hold it for a millisecond. */
    static void hotAccounts(NamedLocks locks) throws Exception {
        List<Long> waits = Collections.synchronizedList(new ArrayList<>());
        Parallel.sum(Executors.newFixedThreadPool(THREADS), THREADS, thread -> () -> {
            for (int i = 0; i < LOCKS_OF_THREAD; i++) {
                LockTarget account = LockTarget.account(
                        "u", "a" + ThreadLocalRandom.current().nextInt(ACCOUNTS));
                waits.add(timed(locks, LockRequest.exclusive(account), LockWait.FOREVER, HOLD_NANOS));
            }
            return 0L;
        });
        Measurements.printTimes(locks.name() + ", 8 threads, 4 accounts, held 1 ms", List.copyOf(waits));
    }

    /** Measures a writer that locks a user exclusively, which readers share without a gap. */
    static void writerBesideReaders(NamedLocks locks) throws Exception {
        LockTarget user = LockTarget.user("read");
        AtomicBoolean over = new AtomicBoolean();
        List<Future<?>> readers = new ArrayList<>();
        List<Long> waits = new ArrayList<>();
        int starved = 0;
        try (ExecutorService executor = Executors.newFixedThreadPool(READERS)) {
            for (int reader = 0; reader < READERS; reader++) {
                readers.add(executor.submit(() -> {
                    while (!over.get()) {
                        timed(locks, LockRequest.shared(user), LockWait.FOREVER, READ_NANOS);
                    }
                    return null;
                }));
            }
            try {
                for (int i = 0; i < WRITES; i++) {
                    try {
                        waits.add(timed(locks, LockRequest.exclusive(user), LockWait.atMost(WRITER_TIMEOUT), 0));
                    } catch (LockTimeoutException e) {
                        starved++;
                    }
                }
            } finally {
                over.set(true);
            }
        }
        for (Future<?> reader : readers) {
            reader.get();
        }
        if (!waits.isEmpty()) {
            Measurements.printTimes(locks.name() + ", a writer, 4 readers of 20 ms", waits);
        }
        if (starved > 0) {
            System.out.printf(
                    "%-46s %,6d times nothing within %s%n",
                    locks.name() + ", a writer", starved, DurationText.of(WRITER_TIMEOUT));
        }
    }

    /** Returns the time to acquire the locks. */
    private static long timed(NamedLocks locks, LockRequest request, LockWait wait, long holdNanos)
            throws InterruptedException {
        long askedAt = System.nanoTime();
        LockHandle handle = locks.locks().acquire(request, wait);
        long took = System.nanoTime() - askedAt;
        LockSupport.parkNanos(holdNanos);
        handle.close();
        return took;
    }
}
