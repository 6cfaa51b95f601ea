package dev.spream.api.spi;

import java.util.List;

/** The ports of spream. A new one is a line here; nothing else of discovery and configuration changes. */
public final class Ports {
    /** In the order in which changes flow, and people read of them. */
    public static final List<Port<?>> ALL = List.of(
            ChangeStreamSourceProvider.PORT,
            PartitionStorageProvider.PORT,
            ConsumerProvider.PORT,
            DeadLetterSinkProvider.PORT,
            LockStoreProvider.PORT,
            OutboxStoreProvider.PORT,
            OutboxSenderProvider.PORT,
            ProjectionStoreProvider.PORT,
            EventStoreProvider.PORT,
            EventSourceProvider.PORT,
            SearchEngineProvider.PORT);

    private Ports() {}
}
