package dev.spream.cli;

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

    StreamArguments stream() {
        return stream;
    }
}
