package dev.spream.cli;

import dev.spream.storage.spanner.DatabaseName;
import java.util.Optional;
import picocli.CommandLine.Mixin;

/** The flags of commands that look at a stored subscription: where it is, and which stream it reads. */
final class SubscriptionArguments {
    @Mixin
    private final Verbosity verbosity = new Verbosity();

    @Mixin
    private final StreamArguments stream = new StreamArguments();

    @Mixin
    private final StorageArguments storage = new StorageArguments();

    /** Opens the storage; the caller closes it. */
    OpenStorage open() {
        verbosity.apply();
        return PartitionStorages.openExisting(storage.ofReaders(stream));
    }

    /** The database that has the metadata, if the storage is in Spanner and the flag is given. */
    Optional<DatabaseName> metadataDatabase() {
        return storage.metadataDatabase();
    }

    StreamArguments stream() {
        return stream;
    }
}
