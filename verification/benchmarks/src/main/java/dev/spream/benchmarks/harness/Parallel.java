package dev.spream.benchmarks.harness;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Work that several threads do at the same time. */
public final class Parallel {
    private Parallel() {}

    /** Runs the tasks on these threads, which end then, and adds up what they return. */
    public static long sum(ExecutorService threads, List<? extends Callable<Long>> tasks)
            throws InterruptedException, ExecutionException {
        try (threads) {
            long sum = 0;
            for (Future<Long> result : threads.invokeAll(tasks)) {
                sum += result.get();
            }
            return sum;
        }
    }

    /** The same for a number of tasks. */
    public static long sum(ExecutorService threads, int count, IntFunction<Callable<Long>> task)
            throws InterruptedException, ExecutionException {
        return sum(threads, IntStream.range(0, count).mapToObj(task).toList());
    }

    /** Waits for that moment of {@link System#nanoTime}. */
    public static void waitUntil(long nanoTime) {
        for (long left; (left = nanoTime - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(left);
        }
    }
}
