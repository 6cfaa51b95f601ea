package dev.spream.api.spi;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.SubscriberOptions;
import java.util.function.Function;

/**
 * The change stream that a host has configured, for an event source that reads it.
 *
 * @param stream closed by the host, after what reads it
 * @param storages opens the partitions of a subscription by its name; the caller closes what it returns. Called by any
 *     thread
 * @param options how the stream is read, as configured
 */
public record SharedChangeStream(
        ChangeStreamSource stream, Function<String, PartitionStorage> storages, SubscriberOptions options) {
    public SharedChangeStream {
        requireNonNull(stream, "stream");
        requireNonNull(storages, "storages");
        requireNonNull(options, "options");
    }
}
