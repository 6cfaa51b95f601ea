package com.example.timed;

import static com.google.spanner.admin.database.v1.DatabaseDialect.GOOGLE_STANDARD_SQL;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Mutation;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.subscription.Subscriber;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.Fault;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The engine over the storage: partitions split, and a query fails. */
@Timeout(120)
final class TimedStorageEngineTest {
    private static final String DATABASE = "projects/p/instances/i/databases/d";

    private final PartitionStorage storage =
            TimedStorageProvider.timed(new InMemoryPartitionStorage(), Duration.ofMinutes(1), "test");
    private final Set<String> delivered = ConcurrentHashMap.newKeySet();

    @Test
    void two_workers_lose_nothing() {
        try (var emulator = SpannerEmulator.start()) {
            emulator.createDatabase(
                    DATABASE,
                    GOOGLE_STANDARD_SQL,
                    "CREATE TABLE Orders (Id INT64 NOT NULL) PRIMARY KEY (Id)",
                    "CREATE CHANGE STREAM OrdersStream FOR Orders");
            try (var connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                            .emulatorHost(emulator.emulatorHost())
                            .open();
                    var source = SpannerChangeStreamSource.open(connection.client(), "OrdersStream")) {
                var partitions = emulator.partitions(DATABASE, "OrdersStream");
                Instant start = Instant.now();
                for (int id = 0; id < 50; id++) {
                    if (id % 10 == 5) {
                        partitions.split(partitions.live().getFirst().token());
                    }
                    var order = Mutation.newInsertBuilder("Orders").set("Id").to(id);
                    connection.client().write(List.of(order.build()));
                }
                Instant end = Instant.now();
                emulator.faults(DATABASE, "OrdersStream").next(Fault.of(Fault.Kind.UNAVAILABLE));
                try (var one = worker(source, start, end);
                        var two = worker(source, start, end)) {
                    var other = CompletableFuture.runAsync(() -> run(two));
                    run(one);
                    other.join();
                }
            }
        }
        assertThat(delivered).hasSize(50);
        var subscription = storage.subscription().orElseThrow();
        assertThat(LineageCheck.check(subscription, storage.lineage(), storage.proofs()))
                .matches(report -> report.isProven());
    }

    private Subscriber worker(SpannerChangeStreamSource source, Instant start, Instant end) {
        return Subscriber.builder(source, storage)
                .options(options -> options.startAt(start).endAt(end))
                .build();
    }

    private void run(Subscriber worker) {
        worker.run(change -> change.mods()
                .forEach(mod -> delivered.add(mod.keys().string("Id").orElseThrow())));
    }
}
