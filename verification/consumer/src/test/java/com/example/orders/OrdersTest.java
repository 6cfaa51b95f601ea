package com.example.orders;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Mutation;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Orders of a real client, read from the emulator. */
@Timeout(60)
final class OrdersTest {
    private static final String DATABASE = "projects/p/instances/i/databases/d";

    private final Queue<DataChangeRecord> read = new ConcurrentLinkedQueue<>();

    private SpannerEmulator emulator;
    private SpannerConnection connection;
    private Timestamp ordered;

    @BeforeEach
    void order() throws Exception {
        emulator = SpannerEmulator.start();
        emulator.createDatabase(
                DATABASE,
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Orders (Id INT64 NOT NULL) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM OrdersStream FOR Orders");
        connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                .emulatorHost(emulator.emulatorHost())
                .open();
        ordered = connection
                .client()
                .write(List.of(
                        Mutation.newInsertBuilder("Orders").set("Id").to(1).build()));
    }

    @AfterEach
    void stop() {
        connection.close();
        emulator.close();
    }

    @Test
    void the_core_embedded_reads_an_order() {
        Instant at = Instant.parse(ordered.toString());
        OrderReader.read(connection, at, at, read::add);
        assertThat(read).singleElement().returns("Orders", DataChangeRecord::tableName);
    }

    @Test
    void a_jar_dropped_in_keeps_the_partitions() {
        var config = SpreamConfig.of(Map.of(
                "source.spanner.database",
                DATABASE,
                "source.spanner.stream",
                "OrdersStream",
                "source.spanner.emulator-host",
                emulator.emulatorHost(),
                "plugins",
                "target/plugins",
                "storage",
                "timed",
                "start",
                ordered.toString(),
                "end",
                ordered.toString()));
        try (var spream = Spream.builder(config).consumer(read::add).build()) {
            spream.run();
        }
        assertThat(read).singleElement().returns("Orders", DataChangeRecord::tableName);
    }
}
