package dev.spream.api.guice;

import static java.util.Objects.requireNonNull;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import com.google.inject.multibindings.OptionalBinder;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.SubscriptionListener;
import java.util.Optional;
import java.util.Set;

/**
 * Binds {@link Spream} as a singleton, with the configuration given to the module.
 *
 * <p>It requires no bindings. If the application binds one of these, it is used instead of the configured one, and is
 * closed by the application: {@link ChangeStreamSource}, {@link PartitionStorage}, {@link Consumer}, {@link
 * DeadLetterSink}, {@link ErrorHandler}, {@link PluginRegistry}. Listeners are added by a {@link Multibinder} of {@link
 * SubscriptionListener}.
 *
 * <p>Creating the injector validates the configuration, in {@link com.google.inject.Stage#PRODUCTION} at once, and
 * opens nothing; {@link Spream#run} opens the components.
 */
public final class SpreamModule extends AbstractModule {
    private final SpreamConfig config;

    public SpreamModule(SpreamConfig config) {
        this.config = requireNonNull(config, "config");
    }

    @Override
    protected void configure() {
        OptionalBinder.newOptionalBinder(binder(), ChangeStreamSource.class);
        OptionalBinder.newOptionalBinder(binder(), PartitionStorage.class);
        OptionalBinder.newOptionalBinder(binder(), Consumer.class);
        OptionalBinder.newOptionalBinder(binder(), DeadLetterSink.class);
        OptionalBinder.newOptionalBinder(binder(), ErrorHandler.class);
        OptionalBinder.newOptionalBinder(binder(), PluginRegistry.class);
        Multibinder.newSetBinder(binder(), SubscriptionListener.class);
    }

    @Provides
    @Singleton
    Spream spream(
            Optional<ChangeStreamSource> source,
            Optional<PartitionStorage> storage,
            Optional<Consumer> consumer,
            Optional<DeadLetterSink> deadLetterSink,
            Optional<ErrorHandler> errorHandler,
            Optional<PluginRegistry> plugins,
            Set<SubscriptionListener> listeners) {
        Spream.Builder spream = Spream.builder(config);
        source.ifPresent(spream::source);
        storage.ifPresent(spream::storage);
        consumer.ifPresent((Consumer own) -> spream.consumer(own));
        deadLetterSink.ifPresent(spream::deadLetterSink);
        errorHandler.ifPresent(spream::errorHandler);
        plugins.ifPresent(spream::plugins);
        listeners.forEach(spream::listener);
        return spream.build();
    }
}
