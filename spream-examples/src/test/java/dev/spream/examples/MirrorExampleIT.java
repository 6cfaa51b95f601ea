package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.ModType;
import dev.spream.core.record.RecordIdentity;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.servers.PostgresDatabase;
import dev.spream.storage.jdbc.mirror.JdbcMirror;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.testkit.subscription.MappedSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class MirrorExampleIT {
    private static final String DATABASE = "projects/p/instances/i/databases/d";
    private static final int ORDERS = 60;
    private static final Duration LAG = Duration.ofMillis(20);

    /** Time for splits between the transactions, so that orders and their lines are in several partitions. */
    private static final Duration PAUSE = Duration.ofMillis(10);

    @Test
    void a_foreign_key_without_deferral_holds_while_partitions_split_and_merge() throws Exception {
        try (SpannerEmulator emulator = SpannerEmulator.builder()
                .churn(PartitionChurn.every(Duration.ofMillis(50)).weights(3, 1, 0))
                .start()) {
            emulator.createDatabase(
                    DATABASE,
                    DatabaseDialect.GOOGLE_STANDARD_SQL,
                    "CREATE TABLE Orders (OrderId INT64 NOT NULL, Customer STRING(MAX) NOT NULL) PRIMARY KEY (OrderId)",
                    "CREATE TABLE Lines (OrderId INT64 NOT NULL, Line INT64 NOT NULL, Article STRING(MAX) NOT NULL)"
                            + " PRIMARY KEY (OrderId, Line)",
                    "CREATE CHANGE STREAM OrdersStream FOR Orders, Lines OPTIONS (value_capture_type = 'NEW_ROW')");
            try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                            .emulatorHost(emulator.emulatorHost())
                            .open();
                    SpannerChangeStreamSource source =
                            SpannerChangeStreamSource.open(connection.client(), "OrdersStream")) {
                List<Instant> commits = write(connection.client());

                Queue<Read> read = new ConcurrentLinkedQueue<>();
                DataSource database = tables();
                assertThat(MirrorExample.mirror(subscription(source, commits, MirrorExampleIT::late, read), database))
                        .isEqualTo(CompletionReason.COMPLETED);
                assertThat(lines(database)).isNotEmpty().isEqualTo(lines(connection.client()));

                RecordIdentity order = orderWithLaterLineElsewhere(List.copyOf(read));
                DataSource unordered = tables();
                CountDownLatch failed = new CountDownLatch(1);
                try (Subscriber subscriber = subscription(
                                source, commits, record -> held(record, order, failed), new ConcurrentLinkedQueue<>())
                        .options(options -> options.transactionMode(TransactionMode.WHOLE)
                                .listener(new SubscriptionListener() {
                                    @Override
                                    public void deliveryFailed(DeliveryFailure failure, ErrorDecision decision) {
                                        failed.countDown();
                                    }
                                }))
                        .build()) {
                    JdbcMirror mirror = JdbcMirror.builder(unordered, "orders").build();
                    assertThatThrownBy(() -> subscriber.run(mirror))
                            .hasStackTraceContaining("Foreign keys hold only in commit order");
                }
            }
        }
    }

    private static DataSource tables() throws SQLException {
        DataSource database = PostgresDatabase.create().source();
        execute(database, MirrorExample.TABLES);
        return database;
    }

    private static Subscriber.Builder subscription(
            ChangeStreamSource source, List<Instant> commits, MappedSource.Mapping mapping, Queue<Read> read) {
        return Subscriber.builder(new MappedSource(source, mapping), new InMemoryPartitionStorage())
                .options(options -> options.startAt(commits.getFirst())
                        .endAt(commits.getLast())
                        .heartbeatInterval(Duration.ofMillis(200))
                        .listener(new SubscriptionListener() {
                            @Override
                            public void delivering(PartitionToken partition, DataChangeRecord change, int attempt) {
                                read.add(new Read(partition, change));
                            }
                        }));
    }

    /** Lets the partitions with orders lag behind those with lines. */
    private static Optional<ChangeRecord> late(ChangeRecord record) throws InterruptedException {
        if (record instanceof DataChangeRecord change && change.tableName().equals("Orders")) {
            Thread.sleep(LAG);
        }
        return Optional.of(record);
    }

    /** Holds that change back until the failure. */
    private static Optional<ChangeRecord> held(ChangeRecord record, RecordIdentity held, CountDownLatch failure)
            throws InterruptedException {
        if (record instanceof DataChangeRecord change && change.identity().equals(held)) {
            boolean failed = failure.await(60, TimeUnit.SECONDS);
            assertThat(failed).as("a failure while the order is held back").isTrue();
        }
        return Optional.of(record);
    }

    /**
     * Returns the change that inserts an order of which one more line comes later from another partition, which had lines of
     * the order's own transaction: it lived beside the order's partition, and does not wait for it.
     */
    private static RecordIdentity orderWithLaterLineElsewhere(List<Read> read) {
        for (Read later : read) {
            for (Read order : read) {
                if (later.change().numberOfRecordsInTransaction() == 1
                        && later.isInsertInto("Lines")
                        && order.isInsertInto("Orders")
                        && order.orderId() == later.orderId()
                        && !order.partition().equals(later.partition())
                        && read.stream()
                                .anyMatch(line -> line.partition().equals(later.partition())
                                        && line.change()
                                                .serverTransactionId()
                                                .equals(order.change().serverTransactionId()))) {
                    return order.change().identity();
                }
            }
        }
        throw new AssertionError("no order has a later line in another partition");
    }

    /** A change, and the partition that it came from. */
    private record Read(PartitionToken partition, DataChangeRecord change) {
        boolean isInsertInto(String table) {
            return change.tableName().equals(table) && change.modType() == ModType.INSERT;
        }

        long orderId() {
            return change.mods().getFirst().keys().int64("OrderId").orElseThrow();
        }
    }

    /** Each order comes with its lines in one transaction. A later one deletes both, or adds a line. */
    private static List<Instant> write(DatabaseClient client) throws InterruptedException {
        Random random = new Random(7);
        List<Instant> commits = new ArrayList<>();
        for (long id = 1; id <= ORDERS; id++) {
            List<Mutation> order = new ArrayList<>();
            for (long line = 1; line <= 3; line++) {
                order.add(line(id, line, random));
            }
            order.add(Mutation.newInsertBuilder("Orders")
                    .set("OrderId")
                    .to(id)
                    .set("Customer")
                    .to("customer " + random.nextInt(9))
                    .build());
            commits.add(instant(client.write(order)));
            if (random.nextInt(3) == 0) {
                List<Mutation> delete = new ArrayList<>(List.of(Mutation.delete("Orders", Key.of(id))));
                for (long line = 1; line <= 3; line++) {
                    delete.add(Mutation.delete("Lines", Key.of(id, line)));
                }
                commits.add(instant(client.write(delete)));
            } else {
                commits.add(instant(client.write(List.of(line(id, 4, random)))));
            }
            Thread.sleep(PAUSE);
        }
        return commits;
    }

    private static Mutation line(long order, long line, Random random) {
        return Mutation.newInsertBuilder("Lines")
                .set("OrderId")
                .to(order)
                .set("Line")
                .to(line)
                .set("Article")
                .to("article " + random.nextInt(9))
                .build();
    }

    private static Instant instant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }

    private static List<String> lines(DatabaseClient client) {
        List<String> lines = new ArrayList<>();
        try (var row = client.singleUse().read("Lines", KeySet.all(), List.of("OrderId", "Line", "Article"))) {
            while (row.next()) {
                lines.add("%d, %d: %s".formatted(row.getLong(0), row.getLong(1), row.getString(2)));
            }
        }
        return lines;
    }

    private static List<String> lines(DataSource database) throws SQLException {
        List<String> lines = new ArrayList<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT l.* FROM \"Lines\" l JOIN \"Orders\" o USING (\"OrderId\") ORDER BY 1, 2")) {
            while (row.next()) {
                lines.add("%d, %d: %s".formatted(row.getLong(1), row.getLong(2), row.getString(3)));
            }
        }
        return lines;
    }

    private static void execute(DataSource database, String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
