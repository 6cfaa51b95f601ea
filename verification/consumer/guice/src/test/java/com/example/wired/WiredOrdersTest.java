package com.example.wired;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Mutation;
import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Stage;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.guice.SpreamModule;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An application that Guice wires reads an order: Guice and the Spanner client run with one Guava. */
@Timeout(60)
final class WiredOrdersTest {
    private static final String DATABASE = "projects/p/instances/i/databases/d";

    private final Queue<DataChangeRecord> read = new ConcurrentLinkedQueue<>();

    @Test
    void an_application_of_guice_reads_an_order() {
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            emulator.createDatabase(
                    DATABASE,
                    DatabaseDialect.GOOGLE_STANDARD_SQL,
                    "CREATE TABLE Orders (Id INT64 NOT NULL) PRIMARY KEY (Id)",
                    "CREATE CHANGE STREAM OrdersStream FOR Orders");
            Timestamp ordered = order(emulator);
            Injector injector = Guice.createInjector(
                    Stage.PRODUCTION, new SpreamModule(config(emulator, ordered)), new AbstractModule() {
                        @Override
                        protected void configure() {
                            bind(Consumer.class).toInstance((ChangeHandler) read::add);
                        }
                    });
            try (Spream spream = injector.getInstance(Spream.class)) {
                spream.run();
            }
        }
        assertThat(read).singleElement().returns("Orders", DataChangeRecord::tableName);
    }

    private static Timestamp order(SpannerEmulator emulator) {
        try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                .emulatorHost(emulator.emulatorHost())
                .open()) {
            return connection
                    .client()
                    .write(List.of(
                            Mutation.newInsertBuilder("Orders").set("Id").to(1).build()));
        }
    }

    private static SpreamConfig config(SpannerEmulator emulator, Timestamp ordered) {
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
                ordered.toString(),
                "end",
                ordered.toString()));
    }
}
