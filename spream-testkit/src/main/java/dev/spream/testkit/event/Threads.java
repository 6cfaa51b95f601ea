package dev.spream.testkit.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Threads of a test, which end with it. */
public final class Threads implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration GLANCE = Duration.ofMillis(200);

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();

    public <V> Future<V> start(Callable<V> work) {
        return executor.submit(work);
    }

    /** Starts all calls together and returns their results. */
    public <V> List<V> together(List<? extends Callable<V>> work) {
        CountDownLatch ready = new CountDownLatch(work.size());
        List<Future<V>> started = new ArrayList<>();
        for (Callable<V> one : work) {
            started.add(start(() -> {
                ready.countDown();
                await(ready);
                return one.call();
            }));
        }
        return started.stream().map(Threads::resultOf).toList();
    }

    public static <V> V resultOf(Future<V> work) {
        try {
            return work.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("a thread of the test failed: " + e.getCause(), e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("a thread of the test does not end", e);
        }
    }

    /** Asserts that the work does not end for a moment. */
    public static void assertWaits(Future<?> work) {
        assertThatThrownBy(() -> work.get(GLANCE.toMillis(), TimeUnit.MILLISECONDS))
                .as("does not wait")
                .isInstanceOf(TimeoutException.class);
    }

    /** Returns whether the work ends within a moment. */
    public static boolean endsAtOnce(Future<?> work) {
        try {
            work.get(GLANCE.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException | InterruptedException e) {
            throw new AssertionError("a thread of the test failed", e);
        }
    }

    public static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS))
                    .as("in time")
                    .isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
        executor.close();
    }
}
