package dev.spream.cli.partition;

import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.command.Failures;
import dev.spream.cli.command.UsageFailure;
import dev.spream.cli.command.Verbosity;
import dev.spream.cli.storage.OpenStorage;
import dev.spream.cli.storage.StorageArguments;
import dev.spream.cli.storage.StreamArguments;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.source.SourceException;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
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

    /**
     * Returns the retention period of the stream, if its database is given and answers.
     *
     * @param report called with a line if it does not answer
     */
    Optional<Duration> retention(StoredSubscription stored, Consumer<String> report) {
        Optional<DatabaseName> database = stream.database();
        if (database.isEmpty()) {
            return Optional.empty();
        }
        try (SpannerConnection connection = stream.connect(database.get());
                SpannerChangeStreamSource source =
                        connection.source(stored.subscription().streamName()).build()) {
            return source.retention();
        } catch (SourceException e) {
            report.accept("the retention period of the stream is unknown: "
                    + Failures.oneLine(String.valueOf(e.getMessage())));
            return Optional.empty();
        }
    }

    /**
     * Returns the answer of the stream of that subscription.
     *
     * @throws UsageFailure if its database is not given
     */
    <T> T withSource(StoredSubscription stored, Function<SpannerChangeStreamSource.Builder, T> question) {
        DatabaseName database = stream.database()
                .orElseThrow(() -> new UsageFailure("the database of the stream is missing: --database NAME"));
        try (SpannerConnection connection = stream.connect(database)) {
            return question.apply(connection.source(stored.subscription().streamName()));
        }
    }

    /** Returns the database of the metadata, if the storage is in Spanner and the flag is given. */
    Optional<DatabaseName> metadataDatabase() {
        return storage.metadataDatabase();
    }

    StreamArguments stream() {
        return stream;
    }
}
