package dev.spream.api.spi;

import java.util.List;

/** The ports of spream. Discovery and configuration need no other registration of a port. */
public final class Ports {
    /** The ports in the order of the data flow, which is also the order of display. */
    public static final List<Port<?>> ALL = List.of(
            ChangeStreamSourceProvider.PORT,
            PartitionStorageProvider.PORT,
            ConsumerProvider.PORT,
            FormatProvider.PORT,
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
