package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Mutation;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.servers.PostgresDatabase;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class LedgerExampleIT {
    private static final String DATABASE = "projects/p/instances/i/databases/d";
    private static final int ORDERS = 20;

    @Test
    void changes_that_come_again_count_once() throws Exception {
        DataSource database = PostgresDatabase.create().source();
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            try (Connection connection = database.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE order_status_count (status text PRIMARY KEY, orders bigint NOT NULL)");
            }
            emulator.createDatabase(
                    DATABASE,
                    DatabaseDialect.GOOGLE_STANDARD_SQL,
                    "CREATE TABLE Orders (Id INT64 NOT NULL, Status STRING(9)) PRIMARY KEY (Id)",
                    "CREATE CHANGE STREAM OrdersStream FOR Orders");
            try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                            .emulatorHost(emulator.emulatorHost())
                            .open();
                    SpannerChangeStreamSource source =
                            SpannerChangeStreamSource.open(connection.client(), "OrdersStream")) {
                List<Instant> commits = write(connection.client());
                for (int run = 0; run < 2; run++) { // the second one remembers nothing, and reads everything again
                    assertThat(read(source, database, commits)).isEqualTo(CompletionReason.COMPLETED);
                    assertThat(counts(database))
                            .containsExactlyInAnyOrderEntriesOf(
                                    Map.of("PLACED", (long) ORDERS, "SHIPPED", (long) ORDERS));
                }
            }
        }
    }

    private static CompletionReason read(SpannerChangeStreamSource source, DataSource database, List<Instant> commits) {
        try (Subscriber subscriber = Subscriber.builder(source, new InMemoryPartitionStorage())
                .options(options -> options.startAt(commits.getFirst())
                        .endAt(commits.getLast())
                        .maxInflight(16))
                .build()) {
            return subscriber.run(LedgerExample.counter(database));
        }
    }

    private static List<Instant> write(DatabaseClient client) {
        List<Instant> commits = new ArrayList<>();
        for (String status : List.of("PLACED", "SHIPPED")) {
            for (long id = 1; id <= ORDERS; id++) {
                Timestamp commit = client.write(List.of(Mutation.newInsertOrUpdateBuilder("Orders")
                        .set("Id")
                        .to(id)
                        .set("Status")
                        .to(status)
                        .build()));
                commits.add(Instant.ofEpochSecond(commit.getSeconds(), commit.getNanos()));
            }
        }
        return commits;
    }

    private static Map<String, Long> counts(DataSource database) throws SQLException {
        Map<String, Long> counts = new TreeMap<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT status, orders FROM order_status_count")) {
            while (rows.next()) {
                counts.put(rows.getString(1), rows.getLong(2));
            }
        }
        return counts;
    }
}
