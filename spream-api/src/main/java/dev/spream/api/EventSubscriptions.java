package dev.spream.api;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.SharedChangeStream;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.projection.changestream.ChangeStreamEventSource;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;

/**
 * The subscriptions by which projections read a change stream, one each, called like the projection, with {@code subscription}
 * before it if that is configured. They are apart from those of consumers, since every projection has its own watermarks.
 */
record EventSubscriptions(ConfigValidation validation, Plugin<PartitionStorage> storages) {
    /** @throws ConfigException if they cannot be used, or the stream is to begin at a time that is relative */
    static SharedChangeStream open(ConfigValidation validation, ConfiguredPlugins plugins) {
        EventSubscriptions subscriptions =
                new EventSubscriptions(validation, validation.usable(PartitionStorageProvider.PORT));
        SubscriberOptions options = subscriptions.options(plugins.config());
        ChangeStreamSource stream = plugins.open(
                validation, validation.usable(ChangeStreamSourceProvider.PORT), subscriptions.name("events"));
        return new SharedChangeStream(stream, subscriptions::storage, options);
    }

    /** As configured; but as many changes in flight as there may be, unless fewer are configured: a transaction is to have many. */
    private SubscriberOptions options(SpreamConfig config) {
        SubscriberOptions.Builder options = validation.options();
        if (!config.mayConfigure("max-inflight")) {
            options.maxInflight(ChangeStreamEventSource.options().build().maxInflight());
        }
        StreamTimes times = validation.times();
        if (times.hasRelative()) {
            throw new ConfigException(
                    List.of("%s, and %s: events are read from a time of the calendar on, or from now on"
                            .formatted(
                                    validation.resolved().describe("start"),
                                    validation.resolved().describe("end"))));
        }
        times.start().map(time -> time.at(Instant.EPOCH)).ifPresent(options::startAt);
        times.end().map(time -> time.at(Instant.EPOCH)).ifPresent(options::endAt);
        return options.build();
    }

    private PartitionStorage storage(String projection) {
        return storages.open(validation.of(storages), InstantSource.system(), name(projection))
                .closingProduct();
    }

    private String name(String projection) {
        return validation
                .own()
                .find(SubscriptionKeys.SUBSCRIPTION)
                .map(before -> before + "-" + projection)
                .orElse(projection);
    }
}
