package dev.spream.examples.guide;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Mutation;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.subscription.Subscriber;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.Fault;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class OrderStatusesIT {
    private static final String DATABASE = "projects/p/instances/i/databases/orders";

    private final OrderStatuses statuses = new OrderStatuses();
    private SpannerEmulator emulator;
    private SpannerConnection connection;

    @BeforeEach
    void start() throws Exception {
        emulator = SpannerEmulator.start();
        emulator.createDatabase(
                DATABASE,
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Orders (Id STRING(36) NOT NULL, Status STRING(9)) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM OrdersStream FOR Orders");
        connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                .emulatorHost(emulator.emulatorHost())
                .open();
    }

    @AfterEach
    void stop() {
        connection.close();
        emulator.close();
    }

    @Test
    void a_split_and_a_broken_stream_lose_nothing() {
        Instant first = write("o1", "PLACED");
        PartitionControl partitions = emulator.partitions(DATABASE, "OrdersStream");
        partitions.split(partitions.live().getFirst().token());
        emulator.faults(DATABASE, "OrdersStream").next(Fault.of(Fault.Kind.UNAVAILABLE));
        Instant last = write("o1", "PAID");

        try (var source = SpannerChangeStreamSource.open(connection.client(), "OrdersStream");
                var subscriber = Subscriber.builder(source, new InMemoryPartitionStorage())
                        .options(options -> options.startAt(first).endAt(last))
                        .build()) {
            subscriber.run(statuses);
        }

        assertThat(statuses.of("o1")).contains("PAID");
    }

    private Instant write(String order, String status) {
        Timestamp commit = connection
                .client()
                .write(List.of(Mutation.newInsertOrUpdateBuilder("Orders")
                        .set("Id")
                        .to(order)
                        .set("Status")
                        .to(status)
                        .build()));
        return Instant.parse(commit.toString());
    }
}
