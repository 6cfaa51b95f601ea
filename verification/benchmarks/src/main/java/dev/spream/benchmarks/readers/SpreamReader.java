package dev.spream.benchmarks.readers;

import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.EmulatorProcess;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.subscription.Subscriber;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.SpannerPartitionStorage;
import dev.spream.storage.spanner.SpannerPartitionTables;
import java.nio.file.Path;
import java.time.Instant;

/**
 * A subscriber with default options and its partitions in a table of the database that it reads, as a program. Arguments: the
 * emulator's host, the start, the file of {@link Receipts}, and the table.
 */
final class SpreamReader {
    private SpreamReader() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        Receipts receipts = Receipts.open(Path.of(args[2]));
        ChangeHandler consumer = change -> change.mods()
                .forEach(mod ->
                        receipts.consumed(Long.parseLong(mod.keys().string("Id").orElseThrow())));
        try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(EmulatorProcess.DATABASE))
                        .emulatorHost(args[0])
                        .open();
                SpannerChangeStreamSource source =
                        connection.source(EmulatorProcess.STREAM).build()) {
            SpannerPartitionTables.create(connection, args[3]);
            try (SpannerPartitionStorage storage = SpannerPartitionStorage.open(connection, args[3]);
                    Subscriber subscriber = Subscriber.builder(source, storage)
                            .options(options -> options.startAt(Instant.parse(args[1])))
                            .build()) {
                subscriber.run(consumer);
            }
        }
    }
}
