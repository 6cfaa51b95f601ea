package com.example.orders;

import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Instant;
import java.util.function.Consumer;

/** Reads the orders that were committed from one time until another. */
final class OrderReader {
    private OrderReader() {}

    static void read(SpannerConnection connection, Instant from, Instant to, Consumer<DataChangeRecord> orders) {
        var options = SubscriberOptions.builder().startAt(from).endAt(to).build();
        try (var source = SpannerChangeStreamSource.open(connection.client(), "OrdersStream");
                var subscriber = Subscriber.builder(source, new InMemoryPartitionStorage())
                        .options(options)
                        .build()) {
            subscriber.run(orders::accept);
        }
    }
}
