package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Mutation;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.servers.PostgresDatabase;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class WorkerExampleIT {
    private static final String DATABASE = "projects/p/instances/i/databases/d";
    private static final int CHANGES = 20;

    @Test
    void two_workers_share_a_stream_and_end_together() throws Exception {
        Set<String> consumed = ConcurrentHashMap.newKeySet();
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            emulator.createDatabase(
                    DATABASE,
                    DatabaseDialect.GOOGLE_STANDARD_SQL,
                    "CREATE TABLE Orders (Id INT64 NOT NULL) PRIMARY KEY (Id)",
                    "CREATE CHANGE STREAM OrdersStream FOR Orders");
            try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                            .emulatorHost(emulator.emulatorHost())
                            .open();
                    SpannerChangeStreamSource source =
                            SpannerChangeStreamSource.open(connection.client(), "OrdersStream");
                    var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Instant> commits = new ArrayList<>();
                for (long id = 1; id <= CHANGES; id++) {
                    Timestamp commit = connection
                            .client()
                            .write(List.of(Mutation.newInsertBuilder("Orders")
                                    .set("Id")
                                    .to(id)
                                    .build()));
                    commits.add(Instant.ofEpochSecond(commit.getSeconds(), commit.getNanos()));
                }
                SubscriberOptions options = SubscriberOptions.builder()
                        .startAt(commits.getFirst())
                        .endAt(commits.getLast())
                        .heartbeatInterval(Duration.ofMillis(500))
                        .build();
                String url = PostgresDatabase.create().jdbcUrl();
                List<Future<?>> workers = new ArrayList<>();
                for (int i = 0; i < 2; i++) {
                    workers.add(threads.submit(() -> WorkerExample.work(
                            source,
                            url,
                            Optional.empty(),
                            Optional.empty(),
                            options,
                            change ->
                                    consumed.add(change.mods().getFirst().keys().toString()))));
                }
                for (Future<?> worker : workers) {
                    worker.get();
                }
            }
        }
        assertThat(consumed).hasSize(CHANGES);
    }
}
