package dev.spream.core.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Many small partitions on real threads: consumers that fail, throw, dawdle and interrupt themselves, and stops, cancels
 * and lost leases at any moment. A record that is ready must always find a thread, in the right order, and none after the
 * end.
 */
class RecordDispatcherConcurrencyTest {
    private static final long RUNS = Long.getLong("dispatcher.runs", 1_000);
    private static final long BOUND_SECONDS = 30;

    @Test
    void every_record_is_delivered_in_order_until_the_stop_and_none_after_the_end() {
        for (long seed = 1; seed <= RUNS; seed++) {
            DispatcherRun run = new DispatcherRun(seed);
            CompletableFuture<Void> ended = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try {
                    run.run();
                    ended.complete(null);
                } catch (Throwable t) {
                    ended.completeExceptionally(t);
                }
            });
            try {
                ended.orTimeout(BOUND_SECONDS, TimeUnit.SECONDS).join();
            } catch (CompletionException e) {
                throw new AssertionError("seed %d: %s".formatted(seed, run), e.getCause());
            }
            assertThat(run.violations()).as("seed %d: %s", seed, run).isEmpty();
        }
    }
}
