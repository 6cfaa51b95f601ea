package dev.spream.cli.storage;

import dev.spream.core.partition.PartitionStorage;

/**
 * An opened storage of a command.
 *
 * @param place the location, for messages
 * @param opened closes it with its connections
 */
public record OpenStorage(PartitionStorage storage, String place, Runnable opened) implements AutoCloseable {

    @Override
    public void close() {
        opened.run();
    }
}
