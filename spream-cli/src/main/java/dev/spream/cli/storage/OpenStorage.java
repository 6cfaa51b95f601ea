package dev.spream.cli.storage;

import dev.spream.core.partition.PartitionStorage;

/**
 * A storage that a command has opened.
 *
 * @param place where it is, for messages
 * @param opened closes it, with what it is connected by
 */
public record OpenStorage(PartitionStorage storage, String place, Runnable opened) implements AutoCloseable {

    @Override
    public void close() {
        opened.run();
    }
}
