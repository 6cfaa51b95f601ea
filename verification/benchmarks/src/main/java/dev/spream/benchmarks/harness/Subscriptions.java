package dev.spream.benchmarks.harness;

import dev.spream.core.consume.Consumer;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import java.util.function.UnaryOperator;

/** Subscriptions with state in memory. */
public final class Subscriptions {
    private Subscriptions() {}

    /** Reads a stream to the end timestamp of the options. */
    public static void readToEnd(
            ChangeStreamSource source, Consumer consumer, UnaryOperator<SubscriberOptions.Builder> options) {
        try (Subscriber subscriber = Subscriber.builder(source, new InMemoryPartitionStorage())
                .options(options)
                .build()) {
            CompletionReason result = subscriber.run(consumer);
            if (result != CompletionReason.COMPLETED) {
                throw new IllegalStateException("the subscription ended as " + result);
            }
        }
    }
}
