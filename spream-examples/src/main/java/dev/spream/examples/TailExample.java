package dev.spream.examples;

import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;

/** Reads a change stream in plain Java: from now on, for a given time. */
public final class TailExample {
    private TailExample() {}

    /** {@code TailExample projects/p/instances/i/databases/d OrdersStream 30}: the last argument is a time in seconds. */
    public static void main(String[] args) {
        if (args.length != 3) {
            System.err.println("usage: TailExample <database> <stream> <seconds>");
            System.exit(2);
        }
        Instant end = Instant.now().plusSeconds(Long.parseLong(args[2]));
        tail(args[0], args[1], end, line -> System.out.println(line));
        System.exit(0); // threads of the client library may linger
    }

    static void tail(String databaseName, String streamName, Instant end, Consumer<String> print) {
        var options = SubscriberOptions.builder()
                .endAt(end)
                .heartbeatInterval(Duration.ofSeconds(1))
                .build();

        try (var connection = SpannerConnection.builder(DatabaseName.parse(databaseName))
                        .open();
                var source = SpannerChangeStreamSource.open(connection.client(), streamName);
                var subscriber = Subscriber.builder(source, new InMemoryPartitionStorage())
                        .options(options)
                        .build()) {
            subscriber.run(change -> print.accept(describe(change)));
        }
    }

    private static String describe(DataChangeRecord change) {
        Mod mod = change.mods().getFirst();
        return "%s %s %s %s -> %s"
                .formatted(
                        change.commitTimestamp(),
                        change.modTypeName(),
                        change.tableName(),
                        mod.keys(),
                        mod.newValues());
    }
}
