package dev.spream.api.plugin;

import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.DeadLetterSinkProvider;
import dev.spream.api.spi.EventSourceProvider;
import dev.spream.api.spi.EventStoreProvider;
import dev.spream.api.spi.LockStoreProvider;
import dev.spream.api.spi.OutboxSenderProvider;
import dev.spream.api.spi.OutboxStoreProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.PluginProvider;
import dev.spream.api.spi.ProjectionStoreProvider;
import dev.spream.api.spi.SearchEngineProvider;

/** The ports that a plug-in can fill. */
public enum PluginKind {
    SOURCE("source", ChangeStreamSourceProvider.class),
    STORAGE("storage", PartitionStorageProvider.class),
    SINK("sink", ConsumerProvider.class),
    DEAD_LETTERS("dead-letters", DeadLetterSinkProvider.class),
    LOCKS("locks", LockStoreProvider.class),
    OUTBOX("outbox", OutboxStoreProvider.class),
    SENDER("sender", OutboxSenderProvider.class),
    PROJECTIONS("projections", ProjectionStoreProvider.class),
    EVENTS("events", EventStoreProvider.class),
    EVENT_SOURCE("event-source", EventSourceProvider.class),
    SEARCH("search", SearchEngineProvider.class);

    private final String key;
    private final Class<? extends PluginProvider<?>> providerType;

    PluginKind(String key, Class<? extends PluginProvider<?>> providerType) {
        this.key = key;
        this.providerType = providerType;
    }

    /** The key that chooses one, which is also what the keys of those to choose from begin with. */
    public String key() {
        return key;
    }

    /** The service that {@link java.util.ServiceLoader} looks for. */
    public Class<? extends PluginProvider<?>> providerType() {
        return providerType;
    }
}
