package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Mutation;
import com.google.inject.AbstractModule;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.Consumer;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class EmbeddingIT {
    private static final String DATABASE = "projects/p/instances/i/databases/d";

    private static SpannerEmulator emulator;
    private static Timestamp commit;

    private final Queue<DataChangeRecord> consumed = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void writeAnOrder() throws Exception {
        emulator = SpannerEmulator.start();
        emulator.createDatabase(
                DATABASE,
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Orders (Id INT64 NOT NULL) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM OrdersStream FOR Orders");
        try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                .emulatorHost(emulator.emulatorHost())
                .open()) {
            commit = connection
                    .client()
                    .write(List.of(
                            Mutation.newInsertBuilder("Orders").set("Id").to(1).build()));
        }
    }

    @AfterAll
    static void stop() {
        emulator.close();
    }

    @Test
    void plain_java_with_a_consumer_of_its_own_takes_the_rest_from_the_configuration() {
        ConfiguredExample.run(config(), consumed::add);
        assertThat(consumed).singleElement().returns("Orders", DataChangeRecord::tableName);
    }

    @Test
    void an_application_of_guice_binds_what_is_its_own() {
        GuiceExample.run(config(), new AbstractModule() {
            @Override
            protected void configure() {
                bind(Consumer.class).toInstance((ChangeHandler) consumed::add);
            }
        });
        assertThat(consumed).singleElement().returns("Orders", DataChangeRecord::tableName);
    }

    private static SpreamConfig config() {
        return SpreamConfig.of(Map.of(
                "source.spanner.database",
                DATABASE,
                "source.spanner.stream",
                "OrdersStream",
                "source.spanner.emulator-host",
                emulator.emulatorHost(),
                "storage",
                "memory",
                "start",
                commit.toString(),
                "end",
                commit.toString(),
                "heartbeat-interval",
                "500ms"));
    }
}
