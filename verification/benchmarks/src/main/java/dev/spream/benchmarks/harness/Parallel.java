package dev.spream.benchmarks.harness;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Work that several threads do at the same time. */
public final class Parallel {
    private Parallel() {}

    /** Runs so many tasks on these threads, which end then, and adds up what they return. */
    public static long sum(ExecutorService threads, int count, IntFunction<Callable<Long>> task)
            throws InterruptedException, ExecutionException {
        try (threads) {
            long sum = 0;
            for (Future<Long> result :
                    threads.invokeAll(IntStream.range(0, count).mapToObj(task).toList())) {
                sum += result.get();
            }
            return sum;
        }
    }

    /** Has some threads work on the numbers from 0 on, at even intervals, as far as the machine lets them. */
    public static void paced(int threads, int count, int perSecond, PacedWork work)
            throws InterruptedException, ExecutionException {
        long startedAt = System.nanoTime();
        sum(Executors.newFixedThreadPool(threads), threads, first -> () -> {
            for (int i = first; i < count; i += threads) {
                waitUntil(startedAt + TimeUnit.SECONDS.toNanos(1) * i / perSecond);
                work.on(i);
            }
            return 0L;
        });
    }

    /** Work on a number. */
    public interface PacedWork {
        void on(int number) throws Exception;
    }

    /** Waits for that moment of {@link System#nanoTime}. */
    public static void waitUntil(long nanoTime) {
        for (long left; (left = nanoTime - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(left);
        }
    }
}
