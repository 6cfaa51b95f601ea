package dev.spream.examples;

import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.util.Optional;

/**
 * One of several workers that share a change stream through PostgreSQL; start it several times, on any machines. On
 * SIGTERM it hands its partitions over; after {@code kill -9} the others wait for the lease to expire.
 */
public final class WorkerExample {
    private WorkerExample() {}

    /**
     * {@code WorkerExample projects/p/instances/i/databases/d OrdersStream jdbc:postgresql://host/database}, with the
     * user and the password in the environment.
     */
    public static void main(String[] args) {
        if (args.length != 3) {
            System.err.println("usage: WorkerExample <database> <stream> <JDBC URL>, and PGUSER, PGPASSWORD");
            System.exit(2);
        }
        var user = Optional.ofNullable(System.getenv("PGUSER"));
        var password = Optional.ofNullable(System.getenv("PGPASSWORD"));
        try (var connection =
                        SpannerConnection.builder(DatabaseName.parse(args[0])).open();
                var source = SpannerChangeStreamSource.open(connection.client(), args[1])) {
            var options = SubscriberOptions.builder().maxInflight(64).build();
            work(source, args[2], user, password, options, change -> System.out.println(change.identity()));
        }
        System.exit(0); // threads of the client library may linger
    }

    static void work(
            SpannerChangeStreamSource source,
            String url,
            Optional<String> user,
            Optional<String> password,
            SubscriberOptions options,
            ChangeHandler consumer) {
        try (var pool = JdbcPool.open(url, user, password);
                var storage = JdbcPartitionStorage.create(pool, "orders");
                var subscriber =
                        Subscriber.builder(source, storage).options(options).build()) {
            var stop = new Thread(() -> subscriber.shutdown(Duration.ofSeconds(30)));
            Runtime.getRuntime().addShutdownHook(stop);
            subscriber.run(consumer);
        }
    }
}
