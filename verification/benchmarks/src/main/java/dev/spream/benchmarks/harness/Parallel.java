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

/** Work of several threads in parallel. */
public final class Parallel {
    private Parallel() {}

    /** Runs the given number of tasks on these threads, which end then, and adds up their results. */
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

    /** Runs several threads over the numbers from 0 on, at even intervals if the machine is fast enough. */
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

    /** Waits until the given value of {@link System#nanoTime}. */
    public static void waitUntil(long nanoTime) {
        for (long left; (left = nanoTime - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(left);
        }
    }
}
