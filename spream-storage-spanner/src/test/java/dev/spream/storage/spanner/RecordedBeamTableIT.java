package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Statement;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.servers.OneCallAtATime;
import dev.spream.servers.SpannerServer;
import dev.spream.storage.spanner.MetadataSetup.Outcome;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A table that Apache Beam itself made, restored, adopted and read on. */
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("dev.spream.storage.spanner.ServersAndDialects#all")
@Timeout(120)
class RecordedBeamTableIT {
    private final MetadataDatabase database;

    RecordedBeamTableIT(SpannerServer server, Dialect dialect) {
        this.database = MetadataDatabase.of(server, dialect);
    }

    @Test
    void a_recorded_table_of_beam_is_adopted_and_reading_continues() throws Exception {
        RecordedTable recorded = RecordedTable.of(database.dialect()).anHourBefore(databaseTime());
        String table = restore(recorded);

        assertThat(SpannerPartitionTables.create(database.connection(), table))
                .isEqualTo(new MetadataSetup(Outcome.ADOPTED, recorded.rows().size()));

        PartitionStorage storage =
                OneCallAtATime.of(PartitionStorage.class, SpannerPartitionStorage.open(database.connection(), table));
        RecordedStream stream = new RecordedStream(recorded);
        Map<PartitionToken, Instant> unfinished = unfinished(recorded);
        readOn(stream, storage, unfinished.size());
        assertThat(stream.queries()).as("from where Beam's watermarks are").isEqualTo(unfinished);
        assertThat(LineageCheck.check(storage.subscription().orElseThrow(), storage.lineage(), storage.proofs())
                        .findings())
                .isEmpty();
    }

    private Instant databaseTime() {
        return Timestamps.toInstant(
                MetadataReads.all(database.client().singleUse().executeQuery(Statement.of("SELECT CURRENT_TIMESTAMP")))
                        .getFirst()
                        .getTimestamp(0));
    }

    private String restore(RecordedTable recorded) throws Exception {
        String table = database.newTable();
        var name = database.connection().database();
        database.connection()
                .spanner()
                .getDatabaseAdminClient()
                .updateDatabaseDdl(name.instance(), name.database(), recorded.ddl(table), null)
                .get();
        database.client().write(recorded.inserts(table));
        return table;
    }

    private static Map<PartitionToken, Instant> unfinished(RecordedTable recorded) {
        Map<PartitionToken, Instant> unfinished = new HashMap<>();
        for (Map<String, String> row : recorded.rows()) {
            if (!RecordedTable.value(row, MetadataColumn.STATE).equals("FINISHED")) {
                unfinished.put(
                        new PartitionToken(RecordedTable.value(row, MetadataColumn.PARTITION_TOKEN)),
                        RecordedTable.time(row, MetadataColumn.WATERMARK));
            }
        }
        assertThat(unfinished).isNotEmpty();
        return unfinished;
    }

    /** Until that many partitions are finished. */
    private void readOn(RecordedStream stream, PartitionStorage storage, int partitions) throws Exception {
        CountDownLatch finished = new CountDownLatch(partitions);
        SubscriptionListener listener = new SubscriptionListener() {
            @Override
            public void partitionFinished(PartitionToken partition, PartitionEnd proof) {
                finished.countDown();
            }
        };
        try (Subscriber subscriber = Subscriber.builder(stream, storage)
                .options(options -> options.listener(listener))
                .build()) {
            var running = CompletableFuture.runAsync(() -> subscriber.run(change -> {}), Thread::startVirtualThread);
            assertThat(finished.await(60, TimeUnit.SECONDS))
                    .as("%d partitions are left", finished.getCount())
                    .isTrue();
            subscriber.shutdown(Duration.ofSeconds(10));
            running.get(30, TimeUnit.SECONDS);
        }
    }
}
