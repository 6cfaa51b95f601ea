package dev.spream.cli.partition;

import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.command.Verbosity;
import dev.spream.cli.storage.OpenStorage;
import dev.spream.cli.storage.StorageArguments;
import dev.spream.cli.storage.StreamArguments;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.storage.spanner.DatabaseName;
import java.util.Optional;
import picocli.CommandLine.Mixin;

/** The flags of commands for a stored subscription: its storage and its stream. */
final class SubscriptionArguments {
    @Mixin
    private final Verbosity verbosity = new Verbosity();

    @Mixin
    private final StreamArguments stream = new StreamArguments();

    @Mixin
    private final StorageArguments storage = new StorageArguments();

    /**
     * Opens the storage; the caller closes it.
     *
     * @throws CommandFailure if it stores a subscription of another stream than the given one
     */
    OpenStorage open() {
        verbosity.apply();
        OpenStorage open = storage.ofReaders(stream).openExisting();
        try {
            requireNamedStream(open);
        } catch (RuntimeException e) {
            open.close();
            throw e;
        }
        return open;
    }

    private void requireNamedStream(OpenStorage open) {
        Optional<String> named = stream.stream();
        if (named.isEmpty()) {
            return;
        }
        open.storage()
                .subscription()
                .map(SubscriptionRecord::streamName)
                .filter(stored -> !stored.equals(named.get()))
                .ifPresent(stored -> {
                    throw new CommandFailure(
                            "%s stores a subscription of stream %s, not of %s: correct --stream, or remove it"
                                    .formatted(open.place(), stored, named.get()));
                });
    }

    /** Returns the database of the metadata, if the storage is in Spanner and the flag is given. */
    Optional<DatabaseName> metadataDatabase() {
        return storage.metadataDatabase();
    }

    StreamArguments stream() {
        return stream;
    }
}
