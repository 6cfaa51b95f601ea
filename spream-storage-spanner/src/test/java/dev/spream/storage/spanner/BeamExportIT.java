package dev.spream.storage.spanner;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Struct;
import dev.spream.core.StorageException;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Handing a subscription to Beam: the table that it would start from. */
@ParameterizedClass(name = "{0}")
@MethodSource("dev.spream.servers.SpannerServers#all")
@Timeout(60)
class BeamExportIT {
    private static final Instant START = Instant.parse("2026-03-01T10:00:00.123456789Z");
    private static final WorkerId WORKER = new WorkerId("worker");
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final MetadataDatabase database;
    private final PartitionStorage storage = new InMemoryPartitionStorage();

    BeamExportIT(SpannerServer server) {
        this.database = MetadataDatabase.of(server, Dialect.GOOGLE_STANDARD_SQL);
    }

    private static Instant at(long seconds) {
        return START.plusSeconds(seconds);
    }

    private void open(Optional<Instant> end) {
        storage.openSubscription(new SubscriptionRecord(
                "Orders", START, end, Duration.ofSeconds(10), PartitionMode.IMMUTABLE_KEY_RANGE, false));
    }

    private PartitionLease running(String token) {
        var partition = storage.lineage().partition(new PartitionToken(token)).orElseThrow();
        PartitionLease lease = storage.acquire(WORKER, List.of(PartitionClaim.of(partition)), LEASE)
                .getFirst();
        storage.markRunning(lease);
        return lease;
    }

    /** Adds children, each written as {@code token<parent,parent}. */
    private void add(PartitionLease parent, long seconds, String... children) {
        List<ChildPartition> parts = Arrays.stream(children)
                .map(child -> child.split("<", -1))
                .map(child -> new ChildPartition(child[0], List.of(child[1].split(",", -1))))
                .toList();
        storage.addChildren(parent, new ChildPartitionsRecord(at(seconds), "0", parts));
    }

    private void finish(PartitionLease lease, long seconds, String... children) {
        storage.finish(
                lease,
                at(seconds),
                PartitionEnd.childPartitions(
                        at(seconds),
                        Arrays.stream(children).map(PartitionToken::new).toList()));
    }

    /** a was read to 5, b ended at 20 in c, which was read to 25; a and c will merge into m, which c has reported. */
    private void readHalf() {
        PartitionLease root = running("Parent0");
        add(root, 0, "a<Parent0", "b<Parent0", "z<Parent0");
        finish(root, 0, "a", "b", "z");
        PartitionLease z = running("z");
        add(z, 3, "y<z");
        finish(z, 3, "y");
        PartitionLease y = running("y");
        storage.advanceWatermarks(List.of(new WatermarkAdvance(y, at(7))));
        PartitionLease a = running("a");
        storage.advanceWatermarks(List.of(new WatermarkAdvance(a, at(5).plusNanos(1))));
        PartitionLease b = running("b");
        add(b, 20, "c<b");
        finish(b, 20, "c");
        PartitionLease c = running("c");
        storage.advanceWatermarks(List.of(new WatermarkAdvance(c, at(30))));
        add(c, 30, "m<a,c");
        finish(c, 30, "m");
        storage.release(List.of(a, y));
    }

    private Map<String, Struct> rows(String table) {
        Map<String, Struct> rows = new HashMap<>();
        List<String> columns = MetadataColumn.ofBeam().stream()
                .map(column -> column.columnName)
                .toList();
        MetadataReads.all(database.client().singleUse().read(table, KeySet.all(), columns))
                .forEach(row -> rows.put(row.getString("PartitionToken"), row));
        return rows;
    }

    @Test
    void beam_continues_at_the_watermarks() {
        open(Optional.empty());
        readHalf();
        String table = database.newTable();

        assertThat(BeamExport.write(storage, database.connection(), table))
                .isEqualTo(new BeamTable(table, 2, at(5).plusNanos(1), Optional.empty()));

        Map<String, Struct> rows = rows(table);
        assertThat(rows)
                .as("m is reported again by a; z had ended before")
                .containsOnlyKeys("Parent0", "a", "b", "c", "y");
        assertStart(row(rows, "Parent0"), "CREATED", at(5).plusNanos(1));
        assertStart(row(rows, "a"), "CREATED", at(5).plusNanos(1));
        assertStart(row(rows, "y"), "CREATED", at(7));
        assertStart(row(rows, "b"), "FINISHED", START);
        assertStart(row(rows, "c"), "FINISHED", at(20));
        assertThat(row(rows, "a").getStringList("ParentTokens")).containsExactly("Parent0");
        assertThat(rows.values()).allSatisfy(row -> {
            assertThat(row.getTimestamp("EndTimestamp")).isEqualTo(Timestamps.toTimestamp(ForeignTable.BEAMS_NEVER));
            assertThat(row.isNull("FinishedAt")).isTrue();
        });
        Instant root = created(row(rows, "Parent0"));
        assertThat(List.of(created(row(rows, "a")), created(row(rows, "y")))).allMatch(root::isBefore);
        assertThat(List.of(created(row(rows, "b")), created(row(rows, "c")))).allMatch(root::isAfter);
    }

    private static Struct row(Map<String, Struct> rows, String token) {
        return requireNonNull(rows.get(token), token);
    }

    private static Instant created(Struct row) {
        return Timestamps.toInstant(row.getTimestamp("CreatedAt"));
    }

    private static void assertStart(Struct row, String state, Instant start) {
        assertThat(row.getString("State")).isEqualTo(state);
        assertThat(Timestamps.toInstant(row.getTimestamp("StartTimestamp"))).isEqualTo(start);
        assertThat(Timestamps.toInstant(row.getTimestamp("Watermark"))).isEqualTo(start);
    }

    @Test
    void cleaned_up_partitions_keep_their_rows_in_the_export() {
        open(Optional.of(at(3600)));
        readHalf();
        storage.cleanUp(Instant.parse("9000-01-01T00:00:00Z"));
        String table = database.newTable();
        BeamTable written = BeamExport.write(storage, database.connection(), table);

        assertThat(written.endAt()).contains(at(3600));
        assertThat(rows(table)).containsOnlyKeys("Parent0", "a", "b", "c", "y");
        assertThat(row(rows(table), "b").getTimestamp("EndTimestamp")).isEqualTo(Timestamps.toTimestamp(at(3600)));
    }

    @Test
    void an_exported_table_can_be_adopted_again() {
        open(Optional.empty());
        readHalf();
        String table = database.newTable();
        BeamExport.write(storage, database.connection(), table);
        MetadataSetup adopted = SpannerPartitionTables.create(database.connection(), table, true);
        assertThat(adopted).isEqualTo(new MetadataSetup(MetadataSetup.Outcome.ADOPTED, 5));
    }

    @Test
    void a_subscription_with_living_workers_or_nothing_left_is_refused() {
        String table = database.newTable();
        assertRefused(storage, table, "never opened");
        open(Optional.empty());
        storage.registerWorker(WORKER, 1, LEASE);
        assertRefused(storage, table, "workers are alive");
        storage.unregisterWorker(WORKER);
        PartitionLease root = running("Parent0");
        assertRefused(storage, table, "workers are alive");
        storage.finish(root, at(1), PartitionEnd.boundedEnd(at(1)));
        assertRefused(storage, table, "all partitions are finished");
    }

    @Test
    void a_stream_with_mutable_key_ranges_is_refused() {
        storage.openSubscription(new SubscriptionRecord(
                "Orders", START, Optional.empty(), Duration.ofSeconds(10), PartitionMode.MUTABLE_KEY_RANGE, false));
        assertRefused(
                storage,
                database.newTable(),
                "the change stream has partition mode MUTABLE_KEY_RANGE, and a table of Apache Beam cannot hold the"
                        + " moves of its key ranges. Start a new pipeline at the low watermark");
    }

    @Test
    void a_table_that_exists_and_a_dialect_that_beam_cannot_start_from_are_refused() {
        open(Optional.empty());
        String table = database.emptyTable();
        assertRefused(storage, table, "exists");
        MetadataDatabase postgres = MetadataDatabase.of(SpannerServers.ours(), Dialect.POSTGRESQL);
        assertThatThrownBy(() -> BeamExport.write(storage, postgres.connection(), table))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("GoogleSQL");
    }

    private void assertRefused(PartitionStorage source, String table, String why) {
        assertThatThrownBy(() -> BeamExport.write(source, database.connection(), table))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("nothing was exported")
                .hasMessageContaining(why);
    }
}
