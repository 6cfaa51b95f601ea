package dev.spream.cli;

import dev.spream.core.partition.PartitionStorage;

/**
 * A storage that a command has opened.
 *
 * @param place where it is, for messages
 * @param connection closes what it is connected by
 */
record OpenStorage(PartitionStorage storage, String place, Runnable connection) implements AutoCloseable {

    @Override
    public void close() {
        storage.close();
        connection.run();
    }
}
