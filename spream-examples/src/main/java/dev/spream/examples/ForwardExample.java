package dev.spream.examples;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetterReplay;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.consume.ReplayResult;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.Subscriber;
import dev.spream.sinks.JsonlDeadLetterSink;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Forwards the changes of a stream in batches, with different keys in parallel. Refused changes are retried, then
 * dead-lettered to a file together with the later changes of their keys, and replayed at the end.
 */
public final class ForwardExample {
    private ForwardExample() {}

    /** The target of changes: a queue, an index, a web service. Called by many threads concurrently. */
    @FunctionalInterface
    interface Target {
        /** Sends all changes in one request, or throws. */
        void send(List<String> changes) throws IOException;
    }

    /** {@code ForwardExample projects/p/instances/i/databases/d OrdersStream 30 letters.jsonl}: 30 is a time in seconds. */
    public static void main(String[] args) throws Exception {
        if (args.length != 4) {
            System.err.println("usage: ForwardExample <database> <stream> <seconds> <dead letter file>");
            System.exit(2);
        }
        Instant start = Instant.now();
        Instant end = start.plusSeconds(Long.parseLong(args[2]));
        Path file = Path.of(args[3]);
        Consumer forward = forward(changes -> changes.forEach(change -> System.out.println(change)));
        try (var connection =
                        SpannerConnection.builder(DatabaseName.parse(args[0])).open();
                var source = SpannerChangeStreamSource.open(connection.client(), args[1])) {
            read(source, start, end, file, forward);
        }
        System.err.println(replay(file, forward));
        System.exit(0); // threads of the client library may linger
    }

    static Consumer forward(Target target) {
        BatchConsumer forward = batch -> {
            List<String> changes =
                    batch.changes().stream().map(ForwardExample::describe).toList();
            target.send(changes); // one request; if it throws, the changes come again one by one
        };
        return forward;
    }

    private static String describe(DataChangeRecord change) {
        return "%s %s %s %s"
                .formatted(change.commitTimestamp(), change.modTypeName(), change.tableName(), change.mods());
    }

    static void read(ChangeStreamSource source, Instant start, Instant end, Path file, Consumer consumer)
            throws IOException {
        var errors = ErrorHandler.exponentialBackoff(Duration.ofMillis(100), Duration.ofSeconds(10))
                .maxAttempts(5)
                .abortOn(IllegalArgumentException.class)
                .thenParkKey();

        try (var letters = JsonlDeadLetterSink.open(file);
                var subscriber = Subscriber.builder(source, new InMemoryPartitionStorage())
                        .options(options -> options.startAt(start)
                                .endAt(end)
                                .maxInflight(64)
                                .errorHandler(errors)
                                .deadLetterSink(letters))
                        .build()) {
            subscriber.run(consumer);
        }
    }

    static ReplayResult replay(Path file, Consumer consumer) throws IOException, InterruptedException {
        try (var letters = JsonlDeadLetterSink.open(file)) {
            return DeadLetterReplay.of(letters, consumer).all();
        }
    }
}
