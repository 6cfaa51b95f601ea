package dev.spream.api.spi;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.SubscriberOptions;
import java.util.function.Function;

/**
 * The configured change stream of a host, for an event source that reads it.
 *
 * @param stream the source, closed by the host after its readers
 * @param storages opens the partition storage of a subscription by its name; the caller closes it. Called by any thread
 * @param options the configured options for reading
 */
public record SharedChangeStream(
        ChangeStreamSource stream, Function<String, PartitionStorage> storages, SubscriberOptions options) {
    public SharedChangeStream {
        requireNonNull(stream, "stream");
        requireNonNull(storages, "storages");
        requireNonNull(options, "options");
    }
}
