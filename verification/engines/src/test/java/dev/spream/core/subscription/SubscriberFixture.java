package dev.spream.core.subscription;

import dev.spream.core.consume.Consumer;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;

/** The shared fixture of tests of the subscriber: quick options, a run in the background, and bounded waits. */
final class SubscriberFixture {
    static final Duration BOUND = Duration.ofSeconds(30);

    final ScriptedSource source = new ScriptedSource();
    PartitionStorage storage = new InMemoryPartitionStorage();

    /**
     * A discovery interval longer than any test: what the engine does by itself must not wait for it.
     */
    static SubscriberOptions.Builder quick() {
        return SubscriberOptions.builder()
                .startAt(ScriptedSource.START)
                .watermarkInterval(Duration.ofMillis(5))
                .partitionDiscoveryInterval(Duration.ofMinutes(10));
    }

    Subscriber subscriber(UnaryOperator<SubscriberOptions.Builder> options) {
        return Subscriber.builder(source, storage)
                .options(options.apply(quick()).build())
                .build();
    }

    Subscriber subscriber() {
        return subscriber(options -> options);
    }

    /** Runs to the end, and fails if that takes too long. */
    CompletionReason run(Subscriber subscriber, Consumer consumer) throws InterruptedException {
        return get(start(subscriber, consumer));
    }

    CompletableFuture<CompletionReason> start(Subscriber subscriber, Consumer consumer) {
        CompletableFuture<CompletionReason> result = new CompletableFuture<>();
        Thread.ofVirtual().name("test-run").start(() -> {
            try {
                result.complete(subscriber.run(consumer));
            } catch (Throwable t) {
                result.completeExceptionally(t);
            }
        });
        return result;
    }

    static CompletionReason get(CompletableFuture<CompletionReason> result) throws InterruptedException {
        try {
            return result.orTimeout(BOUND.toSeconds(), TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case null -> throw e;
                case TimeoutException timeout -> throw new AssertionError("run did not end in time", e);
                case RuntimeException cause -> throw cause;
                case Error cause -> throw cause;
                default -> throw e;
            }
        }
    }

    static void await(CountDownLatch latch) throws InterruptedException {
        if (!latch.await(BOUND.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("waited in vain for a latch");
        }
    }

    PartitionMetadata stored(String token) {
        return storage.lineage()
                .partition(new PartitionToken(token))
                .orElseThrow(() -> new AssertionError("partition " + token + " is not stored"));
    }

    /** Returns whether the partition is stored with that watermark. */
    boolean isStoredAt(String token, Instant watermark) {
        return storage.lineage()
                .partition(new PartitionToken(token))
                .filter(partition -> partition.watermark().equals(watermark))
                .isPresent();
    }

    PartitionState state(String token) {
        return stored(token).state();
    }
}
