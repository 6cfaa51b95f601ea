package dev.spream.interop;

import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A subscriber of spream at work, on a thread of its own. */
final class SpreamReader implements AutoCloseable {
    private final Subscriber subscriber;
    private final CompletableFuture<?> running;
    private final Deliveries deliveries = new Deliveries();

    private SpreamReader(Subscriber subscriber) {
        this.subscriber = subscriber;
        this.running = CompletableFuture.runAsync(() -> subscriber.run(this::consume), Thread::startVirtualThread)
                .whenComplete((result, failure) -> deliveries.end());
    }

    /** Starts a new subscription. */
    static SpreamReader start(AccountStream stream, PartitionStorage storage, Instant from) {
        return start(stream, storage, options().startAt(from));
    }

    /** Continues a subscription. */
    static SpreamReader resume(AccountStream stream, PartitionStorage storage) {
        return start(stream, storage, options());
    }

    private static SubscriberOptions.Builder options() {
        return SubscriberOptions.builder().heartbeatInterval(Duration.ofSeconds(1));
    }

    private static SpreamReader start(
            AccountStream stream, PartitionStorage storage, SubscriberOptions.Builder options) {
        return new SpreamReader(Subscriber.builder(stream.source(), storage)
                .options(options.build())
                .build());
    }

    private void consume(DataChangeRecord change) {
        change.mods().forEach(mod -> deliveries.add(mod.keys().string("Id").orElseThrow()));
    }

    Deliveries deliveries() {
        return deliveries;
    }

    /** Stops it in an orderly way, and throws what went wrong. */
    void stop() throws Exception {
        subscriber.shutdown(Duration.ofSeconds(10));
        running.get(30, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        subscriber.close();
    }
}
