package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.spanner.Mutation;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.core.StorageException;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.emulator.SpannerEmulator;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The queries of a snapshot: their division into partitions, and the signs of life of a long one. */
@Timeout(120)
class SnapshotQueriesIT {
    private static final DatabaseName DATABASE = new DatabaseName("p", "i", "d");
    private static final int LONG = 7_000;

    private SpannerEmulator emulator;
    private SpannerConnection connection;

    @SuppressWarnings("NullAway.Init") // set by each test
    private Instant at;

    @BeforeEach
    void start() {
        emulator = SpannerEmulator.start();
        emulator.createDatabase(
                "p/i/d",
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Names (Name STRING(MAX) NOT NULL) PRIMARY KEY (Name)",
                "CREATE CHANGE STREAM NameStream FOR ALL");
        connection = SpannerConnection.builder(DATABASE)
                .emulatorHost(emulator.emulatorHost())
                .open();
    }

    @AfterEach
    void stop() {
        connection.close();
        emulator.close();
    }

    private void write(List<String> names) {
        connection
                .client()
                .write(names.stream()
                        .map(name -> Mutation.newInsertBuilder("Names")
                                .set("Name")
                                .to(name)
                                .build())
                        .toList());
        at = source(1).snapshotTime();
    }

    private ChangeStreamSource source(int chunkRows) {
        return connection.source("NameStream").snapshotChunkRows(chunkRows).build();
    }

    @Test
    void the_stored_query_divides_the_rows_whatever_is_configured_later() throws Exception {
        write(names(30, 5));
        PartitionToken stored = source(7).snapshotQuery();

        List<String> chunks = chunks(source(9), stored);

        assertThat(stored.isOfSnapshot()).isTrue();
        assertThat(chunks).hasSize(5).isEqualTo(chunks(source(7), stored));
        assertThat(chunks(source(9), source(9).snapshotQuery())).hasSize(4).doesNotContainAnyElementsOf(chunks);
        assertThat(chunks(source(9), PartitionToken.SNAPSHOT))
                .as("a query without a number has the default one")
                .hasSize(1)
                .isEqualTo(chunks(source(7), PartitionToken.SNAPSHOT));
    }

    @Test
    void a_long_read_of_keys_shows_that_it_continues() throws Exception {
        write(names(2_500, 5));
        ChangeStreamSource source = source(1_000);

        List<ChangeRecord> records = records(source, keys(source, source.snapshotQuery()));

        assertThat(records).hasSize(3).last().isInstanceOf(ChildPartitionsRecord.class);
        assertThat(records.subList(0, 2)).allMatch(HeartbeatRecord.class::isInstance);
    }

    @Test
    void a_chunk_ends_at_a_key_that_a_token_can_hold() throws Exception {
        List<String> names = names(100, 5);
        IntStream.range(0, 100).filter(i -> i % 10 != 5).forEach(i -> names.set(i, longName(names.get(i))));
        write(names);
        ChangeStreamSource source = source(4);

        List<String> chunks = chunks(source, source.snapshotQuery());

        assertThat(chunks).hasSizeBetween(10, 20).allMatch(chunk -> chunk.length() < LONG);
        List<String> read = new ArrayList<>();
        for (String chunk : chunks) {
            read.addAll(rows(source, chunk));
        }
        assertThat(read).containsExactlyElementsOf(names);
    }

    @Test
    void a_storage_names_the_limit_if_every_key_is_too_long() throws Exception {
        write(names(50, 5).stream()
                .map(name -> longName(name) + "y".repeat(1_000))
                .toList());
        ChangeStreamSource source = source(4);
        PartitionToken keys = keys(source, source.snapshotQuery());
        ChildPartitionsRecord children = children(records(source, keys));
        SpannerPartitionTables.create(connection, "Progress");
        try (PartitionStorage storage = SpannerPartitionStorage.open(connection, "Progress")) {
            PartitionLease root = runningRoot(storage);

            assertThatThrownBy(() -> storage.addChildren(root, children))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("8 KiB at most; nothing was stored")
                    .hasMessageContaining("storage=jdbc");
            assertThat(storage.lineage().partitions()).hasSize(1);
        }
    }

    private PartitionLease runningRoot(PartitionStorage storage) {
        storage.openSubscription(new SubscriptionRecord(
                "NameStream", at, Optional.empty(), Duration.ofSeconds(1), PartitionMode.IMMUTABLE_KEY_RANGE, false));
        PartitionLease root = storage.acquire(
                        new WorkerId("ann"), List.of(new PartitionClaim(PartitionToken.ROOT, 0)), Duration.ofMinutes(1))
                .getFirst();
        assertThat(storage.markRunning(root)).isTrue();
        return root;
    }

    private static List<String> names(int number, int digits) {
        return new ArrayList<>(IntStream.range(0, number)
                .mapToObj(i -> ("%0" + digits + "d").formatted(i))
                .toList());
    }

    private static String longName(String name) {
        return name + "x".repeat(LONG);
    }

    /** Returns the tokens of the chunks, in the order of their rows. */
    private List<String> chunks(ChangeStreamSource source, PartitionToken snapshot) throws InterruptedException {
        List<String> chunks = new ArrayList<>();
        Optional<String> keys = Optional.of(keys(source, snapshot).value());
        while (keys.isPresent()) {
            List<String> tokens = children(records(source, new PartitionToken(keys.get()))).childPartitions().stream()
                    .map(ChildPartition::token)
                    .toList();
            tokens.stream().filter(token -> token.startsWith("snapshot:chunk:")).forEach(chunks::add);
            keys = tokens.stream()
                    .filter(token -> token.startsWith("snapshot:keys:"))
                    .findFirst();
        }
        return chunks;
    }

    private PartitionToken keys(ChangeStreamSource source, PartitionToken snapshot) throws InterruptedException {
        return new PartitionToken(
                children(records(source, snapshot)).childPartitions().getFirst().token());
    }

    private List<String> rows(ChangeStreamSource source, String chunk) throws InterruptedException {
        return records(source, new PartitionToken(chunk)).stream()
                .filter(DataChangeRecord.class::isInstance)
                .map(DataChangeRecord.class::cast)
                .map(change -> change.mods().getFirst().keys().string("Name"))
                .flatMap(Optional::stream)
                .toList();
    }

    private static ChildPartitionsRecord children(List<ChangeRecord> records) {
        return (ChildPartitionsRecord) records.getLast();
    }

    private List<ChangeRecord> records(ChangeStreamSource source, PartitionToken token) throws InterruptedException {
        List<ChangeRecord> records = new ArrayList<>();
        try (ChangeStreamCursor cursor =
                source.query(new PartitionQuery(token, at, Optional.empty(), Duration.ofSeconds(1)))) {
            for (Optional<ChangeRecord> next = cursor.next(); next.isPresent(); next = cursor.next()) {
                records.add(next.get());
            }
        }
        return records;
    }
}
