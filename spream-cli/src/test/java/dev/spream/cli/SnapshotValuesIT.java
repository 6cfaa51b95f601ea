package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseClient;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.core.consume.Consumer;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows of a snapshot have the types and values of the changes that the stream returns for the same rows. */
@Timeout(120)
class SnapshotValuesIT {
    private static final String DATABASE = "projects/spream/instances/test/databases/values";
    private static final long CHANGES = 1_000;
    private static final long SEED = 24;

    /** A row, by its table and key. */
    private record RowKey(String table, JsonObject key) {}

    private record Row(JsonObject values, List<ColumnType> types) {}

    @ParameterizedTest
    @EnumSource(
            value = DatabaseDialect.class,
            names = {"GOOGLE_STANDARD_SQL", "POSTGRESQL"})
    void rows_are_those_that_the_changes_of_the_stream_leave(DatabaseDialect dialect) throws Exception {
        boolean postgresDialect = dialect == DatabaseDialect.POSTGRESQL;
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            emulator.createDatabase(DATABASE, dialect, MirrorTable.ddl(postgresDialect, "NEW_ROW"));
            Instant before = Instant.now();
            try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                    .emulatorHost(emulator.emulatorHost())
                    .open()) {
                write(connection.client(), postgresDialect);
                SpannerChangeStreamSource source =
                        connection.source("mirrored").snapshotChunkRows(7).build();
                Instant end = source.serverTime();

                Map<RowKey, Row> changed = new ConcurrentHashMap<>();
                run(
                        source,
                        SubscriberOptions.builder().startAt(before).endAt(end),
                        (change, delivery) -> apply(change, changed));
                Queue<DataChangeRecord> rows = new ConcurrentLinkedQueue<>();
                run(
                        source,
                        SubscriberOptions.builder()
                                .snapshot(true)
                                .endAt(source.serverTime().plusSeconds(5)),
                        (change, delivery) -> rows.add(change));

                Map<RowKey, Row> read = new ConcurrentHashMap<>();
                rows.forEach(row -> apply(row, read));
                assertThat(changed).hasSizeGreaterThan(200);
                assertThat(read).containsExactlyInAnyOrderEntriesOf(changed);
                assertThat(rows)
                        .hasSameSizeAs(read.keySet())
                        .allMatch(row -> row.modType() == ModType.INSERT)
                        .allMatch(row -> row.serverTransactionId().startsWith("snapshot:" + row.tableName() + ":"))
                        .extracting(DataChangeRecord::identity)
                        .doesNotHaveDuplicates();
                assertThat(rows)
                        .extracting(DataChangeRecord::commitTimestamp)
                        .containsOnly(rows.element().commitTimestamp())
                        .allMatch(time -> !time.isBefore(end));
            }
        }
    }

    private static void write(DatabaseClient client, boolean postgresDialect) throws InterruptedException {
        try (MirrorWorkload workload = new MirrorWorkload(client, postgresDialect, 10_000, 300, 12, SEED)) {
            while (workload.changes() < CHANGES) {
                LockSupport.parkNanos(10_000_000);
            }
        }
    }

    private static void run(SpannerChangeStreamSource source, SubscriberOptions.Builder options, Consumer consumer)
            throws InterruptedException {
        try (Subscriber subscriber = Subscriber.builder(source, new InMemoryPartitionStorage())
                .options(options.heartbeatInterval(Duration.ofMillis(200))
                        .partitionDiscoveryInterval(Duration.ofMillis(100))
                        .build())
                .build()) {
            subscriber.run(consumer);
        }
    }

    private static void apply(DataChangeRecord change, Map<RowKey, Row> rows) {
        for (Mod mod : change.mods()) {
            RowKey key = new RowKey(change.tableName(), mod.keys());
            if (change.modType() == ModType.DELETE) {
                rows.remove(key);
            } else {
                rows.put(key, new Row(mod.newValues(), sorted(change.columnTypes())));
            }
        }
    }

    private static List<ColumnType> sorted(List<ColumnType> types) {
        return types.stream()
                .sorted((a, b) -> Long.compare(a.ordinalPosition(), b.ordinalPosition()))
                .toList();
    }
}
