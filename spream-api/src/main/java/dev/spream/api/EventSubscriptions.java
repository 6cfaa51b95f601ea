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
 * Opens the subscriptions by which projections read a change stream. Each projection has its own subscription, with its
 * own watermarks, named after the projection and prefixed with {@code subscription} if that is configured.
 */
record EventSubscriptions(ConfigValidation validation, Plugin<PartitionStorage> storages) {
    /** @throws ConfigException if the configuration is invalid, or the stream is to start at a relative time */
    static SharedChangeStream open(ConfigValidation validation, ConfiguredPlugins plugins) {
        EventSubscriptions subscriptions =
                new EventSubscriptions(validation, validation.usable(PartitionStorageProvider.PORT));
        SubscriberOptions options = subscriptions.options(plugins.config());
        ChangeStreamSource stream = plugins.open(
                validation, validation.usable(ChangeStreamSourceProvider.PORT), subscriptions.name("events"));
        return new SharedChangeStream(stream, subscriptions::storage, options);
    }

    /**
     * Returns the configured options. If {@code max-inflight} is not configured, it is the maximum, so that a batch can
     * hold many changes.
     */
    private SubscriberOptions options(SpreamConfig config) {
        SubscriberOptions.Builder options = validation.options();
        if (!config.mayConfigure("max-inflight")) {
            options.maxInflight(ChangeStreamEventSource.options().build().maxInflight());
        }
        StreamTimes times = validation.times();
        if (times.hasRelative()) {
            throw new ConfigException(List.of(
                    "projections read the stream between fixed times, and a relative time is configured: %s, %s; configure a time such as 2026-01-31T12:00:00Z, or remove the key: without start they begin now, without end they never end"
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
