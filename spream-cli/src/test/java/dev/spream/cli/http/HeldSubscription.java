package dev.spream.cli.http;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A subscription that runs until it is closed: it has settled three changes, the first of them at its second attempt, and
 * holds a partition.
 */
final class HeldSubscription implements AutoCloseable {
    static final String KEY = "secret-key";
    static final String MESSAGE = "secret-message";

    private static final int CHANGES = 3;
    private static final long TIMEOUT = 30;

    private final Subscriber subscriber;
    private final CompletableFuture<CompletionReason> ended = new CompletableFuture<>();

    private HeldSubscription(Subscriber subscriber) {
        this.subscriber = subscriber;
    }

    static HeldSubscription start(PartitionStorage storage, List<SubscriptionListener> listeners)
            throws InterruptedException {
        ScriptedSource source = new ScriptedSource()
                .roots("a")
                .change("a", 1, KEY)
                .split("a", 2, "b", "c")
                .change("b", 3, KEY)
                .change("c", 3, KEY)
                .heartbeat("b", 4)
                .heartbeat("c", 4)
                .retention(Duration.ofDays(1));
        CountDownLatch settled = new CountDownLatch(CHANGES);
        SubscriberOptions.Builder options = SubscriberOptions.builder()
                .startAt(ScriptedSource.START)
                .watermarkInterval(Duration.ofMillis(5))
                .errorHandler(failure -> new ErrorDecision.Retry(Duration.ZERO))
                .listener(new SubscriptionListener() {
                    @Override
                    public void watermarksPersisted(Map<PartitionToken, Instant> watermarks) {
                        watermarks.forEach((token, watermark) -> {
                            if (!watermark.isBefore(ScriptedSource.at(4))) {
                                settled.countDown();
                            }
                        });
                    }

                    @Override
                    public void partitionFinished(PartitionToken partition, PartitionEnd proof) {
                        if (partition.value().equals("a")) {
                            settled.countDown();
                        }
                    }
                });
        listeners.forEach(options::listener);
        HeldSubscription running = new HeldSubscription(
                Subscriber.builder(source, storage).options(options.build()).build());
        Consumer refusing = (change, delivery) -> {
            if (delivery.attempt() == 1 && delivery.partition().value().equals("a")) {
                throw new IllegalStateException(MESSAGE);
            }
        };
        Thread.ofVirtual().start(() -> running.run(refusing));
        if (!settled.await(TIMEOUT, TimeUnit.SECONDS)) {
            throw new AssertionError("the changes were not settled");
        }
        return running;
    }

    private void run(Consumer consumer) {
        try {
            ended.complete(subscriber.run(consumer));
        } catch (Throwable t) {
            ended.completeExceptionally(t);
        }
    }

    /** Drains it. */
    @Override
    public void close() {
        subscriber.shutdown(Duration.ofSeconds(TIMEOUT));
        ended.orTimeout(TIMEOUT, TimeUnit.SECONDS).join();
    }
}
