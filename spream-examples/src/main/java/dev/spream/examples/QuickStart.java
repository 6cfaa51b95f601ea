package dev.spream.examples;

import static com.google.spanner.admin.database.v1.DatabaseDialect.GOOGLE_STANDARD_SQL;

import com.google.cloud.spanner.Mutation;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.subscription.Subscriber;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Instant;
import java.util.List;

/** Writes three changes to a Spanner server in this process, and reads them from its change stream. */
public final class QuickStart {
    private static final String DATABASE = "projects/p/instances/i/databases/d";
    private static final String TABLE = "CREATE TABLE Orders (Id INT64 NOT NULL, Status STRING(16)) PRIMARY KEY (Id)";
    private static final String STREAM = "CREATE CHANGE STREAM OrdersStream FOR Orders";

    private QuickStart() {}

    public static void main(String[] args) {
        try (var emulator = SpannerEmulator.start()) {
            emulator.createDatabase(DATABASE, GOOGLE_STANDARD_SQL, TABLE, STREAM);
            try (var connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                            .emulatorHost(emulator.emulatorHost())
                            .open();
                    var source = SpannerChangeStreamSource.open(connection.client(), "OrdersStream")) {
                Instant start = Instant.now();
                connection.client().write(List.of(order(1, "PLACED")));
                connection.client().write(List.of(order(2, "PLACED")));
                connection.client().write(List.of(order(1, "SHIPPED")));
                Instant end = Instant.now(); // without an end, run() reads until it is shut down
                try (var subscriber = Subscriber.builder(source, new InMemoryPartitionStorage())
                        .options(options -> options.startAt(start).endAt(end))
                        .build()) {
                    subscriber.run(change -> System.out.println(change.modTypeName() + " " + change.mods()));
                }
            }
        }
        System.exit(0); // threads of the client library may linger
    }

    private static Mutation order(long id, String status) {
        return Mutation.newInsertOrUpdateBuilder("Orders")
                .set("Id")
                .to(id)
                .set("Status")
                .to(status)
                .build();
    }
}
