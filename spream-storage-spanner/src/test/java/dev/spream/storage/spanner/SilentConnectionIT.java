package dev.spream.storage.spanner;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.servers.SpannerServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A subscription whose connections to Spanner, those of the stream and of the partition storage, go silent at once. */
@Timeout(180)
@Tag("proof")
class SilentConnectionIT {
    /** It takes up to 15 seconds on an idle machine, and more than 100 with the client's own keep-alive of two minutes. */
    private static final Duration BOUND = Duration.ofSeconds(20);

    /** Without splits and merges: the partition that is read when the connections go silent stays the same. */
    private final SpannerEmulator emulator = SpannerEmulator.start();

    private final SpannerServer server = new SpannerServer("an emulator without churn", emulator.emulatorHost());
    private final DatabaseName database = DatabaseName.parse(server.createDatabase(
                    Dialect.GOOGLE_STANDARD_SQL,
                    List.of(
                            "CREATE TABLE Items (Id INT64 NOT NULL) PRIMARY KEY (Id)",
                            "CREATE CHANGE STREAM Changes FOR Items"))
            .getName());

    @AfterEach
    void stop() {
        emulator.close();
    }

    @Test
    void source_and_storage_work_again_over_new_connections() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch second = new CountDownLatch(1);
        CompletableFuture<Instant> silencedAt = new CompletableFuture<>();
        CountDownLatch stored = new CountDownLatch(1);
        try (SilencingProxy proxy = new SilencingProxy(server.emulatorHost());
                SpannerConnection direct = connect(server.emulatorHost());
                SpannerConnection proxied = connect(proxy.host());
                SpannerChangeStreamSource source = proxied.source("Changes").build();
                SpannerPartitionStorage storage = storage(proxied)) {
            SubscriberOptions options = SubscriberOptions.builder()
                    .startAt(source.serverTime())
                    .listener(new SubscriptionListener() {
                        @Override
                        public void settled(
                                PartitionToken partition,
                                DataChangeRecord change,
                                Outcome outcome,
                                Duration consumeTime) {
                            (first.getCount() > 0 ? first : second).countDown();
                        }

                        @Override
                        public void watermarksPersisted(Map<PartitionToken, Instant> watermarks) {
                            if (silencedAt.isDone()
                                    && watermarks.values().stream().anyMatch(silencedAt.join()::isBefore)) {
                                stored.countDown();
                            }
                        }
                    })
                    .build();
            try (Subscriber subscriber =
                    Subscriber.builder(source, storage).options(options).build()) {
                var running =
                        CompletableFuture.runAsync(() -> subscriber.run(change -> {}), Thread::startVirtualThread);
                insert(direct, 1);
                assertThat(first.await(30, SECONDS)).isTrue();

                proxy.silence();
                long start = System.nanoTime();
                silencedAt.complete(source(direct).serverTime());
                insert(direct, 2);

                assertThat(second.await(60, SECONDS)).isTrue();
                Duration delivered = Duration.ofNanos(System.nanoTime() - start);
                assertThat(stored.await(60, SECONDS)).isTrue();
                Duration persisted = Duration.ofNanos(System.nanoTime() - start);
                System.out.printf("delivered %s and stored %s after the silence%n", delivered, persisted);
                assertThat(delivered).isLessThan(BOUND);
                assertThat(persisted).isLessThan(BOUND);
                assertThat(running).isNotDone();
            }
        }
    }

    private static SpannerPartitionStorage storage(SpannerConnection connection) {
        SpannerPartitionTables.create(connection, "Partitions");
        return SpannerPartitionStorage.open(connection, "Partitions");
    }

    private SpannerConnection connect(String host) {
        return SpannerConnection.builder(database).emulatorHost(host).open();
    }

    private static SpannerChangeStreamSource source(SpannerConnection connection) {
        return connection.source("Changes").build();
    }

    private static void insert(SpannerConnection connection, long id) {
        connection
                .client()
                .write(List.of(
                        Mutation.newInsertBuilder("Items").set("Id").to(id).build()));
    }
}
