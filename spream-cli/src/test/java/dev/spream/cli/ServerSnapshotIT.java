package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.servers.PostgresDatabase;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import dev.spream.storage.jdbc.mirror.JdbcMirror;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A snapshot and then the stream, while a writer writes and partitions split and merge, on our emulator and, where it is
 * found, on Google's: the mirror is equal to the table, row by row, and each change is delivered once, either as a row
 * of the snapshot or as a change after it.
 *
 * <p>The writer writes each row once, since Google's emulator moves the changes of a key between unrelated partitions. To a
 * live query it does not return a change that was committed in the very microsecond in which one of its reads ended: such a
 * run is repeated.
 */
@Timeout(120)
@Tag("proof")
final class ServerSnapshotIT {
    private static final long SEED = Long.getLong("snapshot.seed", System.nanoTime() % 1_000_000);
    private static final int ATTEMPTS = 3;
    private static final int ROWS = 300;
    private static final int CHUNK_ROWS = 20;
    /** The changes before the subscriber starts; those until its first rows are delivered have a greater index. */
    private static final int BEFORE = 20;

    private static final int DURING = 90;
    private static final long PAUSE_NANOS = 10_000_000;

    /** A column of each type that both emulators have, and of arrays of each. */
    private static final MirrorTable TABLE = new MirrorTable("Typed", columns(), List.of("Region", "Id"));

    private static Map<String, MirrorTable.Column> columns() {
        Map<String, MirrorTable.Column> columns = new LinkedHashMap<>();
        columns.put("Id", new MirrorTable.Column(MirrorType.INT64, false));
        columns.put(MirrorTable.REVISION, new MirrorTable.Column(MirrorType.INT64, false));
        columns.put("Region", new MirrorTable.Column(MirrorType.STRING, false));
        Stream.of(MirrorType.values()).filter(type -> type != MirrorType.UUID_).forEach(type -> {
            columns.put("One" + type, new MirrorTable.Column(type, false));
            columns.put("Many" + type, new MirrorTable.Column(type, true));
        });
        return columns;
    }

    /** A server with a dialect, in which rows are written. */
    private record Source(SpannerServer server, Dialect dialect) {
        boolean postgres() {
            return dialect == Dialect.POSTGRESQL;
        }
    }

    static Stream<Arguments> serversAndDialects() {
        Stream<Arguments> ours = Stream.of(Arguments.of(SpannerServers.ours(), Dialect.GOOGLE_STANDARD_SQL));
        return Stream.concat(
                ours,
                SpannerServers.google().stream()
                        .flatMap(server -> Stream.of(Dialect.GOOGLE_STANDARD_SQL, Dialect.POSTGRESQL)
                                .map(dialect -> Arguments.of(server, dialect))));
    }

    @ParameterizedTest(name = "{1} on {0}")
    @MethodSource("serversAndDialects")
    void the_mirror_is_equal_after_a_snapshot_and_the_stream(SpannerServer server, Dialect dialect) throws Exception {
        Source source = new Source(server, dialect);
        Set<Instant> leftOut = mirror(source);
        for (int attempt = 1; !leftOut.isEmpty(); attempt++) {
            System.out.printf("%s did not return, to live queries: %s%n", server, leftOut);
            assertThat(server).isNotEqualTo(SpannerServers.ours());
            assertThat(attempt).as("attempts").isLessThan(ATTEMPTS);
            leftOut = mirror(source);
        }
    }

    /** Mirrors, judges the result, and returns the times of the changes that the server did not return. */
    private static Set<Instant> mirror(Source source) throws Exception {
        DatabaseId id = source.server().createDatabase(source.dialect(), List.of(TABLE.create(source.postgres())));
        try (SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(id.getName()))
                        .emulatorHost(source.server().emulatorHost())
                        .open();
                HikariDataSource pool =
                        DeliveryLedger.pool(PostgresDatabase.create().jdbcUrl())) {
            DatabaseClient client = connection.client();
            fill(client, source.postgres());
            createStream(source.server(), id);
            MirrorAudit audit = new MirrorAudit(pool);
            JdbcMirror mirror = JdbcMirror.builder(pool, "typed")
                    .schema(MirrorAudit.SCHEMA)
                    .createTables(true)
                    .build();
            List<DataChangeRecord> delivered = new CopyOnWriteArrayList<>();
            CountDownLatch delivering = new CountDownLatch(1);
            BatchConsumer consumer = batch -> {
                mirror.consume(batch);
                delivered.addAll(batch.changes());
                delivering.countDown();
            };
            List<Mutation> mutations = mutations();
            List<Instant> committed = new ArrayList<>(write(client, mutations.subList(0, BEFORE)));
            CompletableFuture<List<Instant>> writing = CompletableFuture.supplyAsync(
                    () -> write(client, mutations.subList(BEFORE, DURING)), Thread::startVirtualThread);
            try (RecordedRun run = new RecordedRun(
                    connection.source("mirrored").snapshotChunkRows(CHUNK_ROWS).build(),
                    SubscriberOptions.builder().snapshot(true),
                    consumer)) {
                committed.addAll(writing.get(60, TimeUnit.SECONDS));
                assertThat(delivering.await(60, TimeUnit.SECONDS))
                        .as("rows are delivered")
                        .isTrue();
                committed.addAll(write(client, mutations.subList(DURING, mutations.size())));
                run.awaitSettled(Collections.max(committed));

                List<DataChangeRecord> rows = ofSnapshot(delivered);
                Instant snapshotAt = rows.getFirst().commitTimestamp();
                List<Instant> after =
                        committed.stream().filter(snapshotAt::isBefore).toList();
                Set<Instant> leftOut = run.leftOut(after);
                if (!leftOut.isEmpty()) {
                    return leftOut;
                }
                System.out.printf(
                        "snapshot on %s, %s, seed %d: %d rows in chunks, %d changes before and %d after, over %d partitions%n",
                        source.server(),
                        source.dialect(),
                        SEED,
                        rows.size(),
                        committed.size() - after.size(),
                        after.size(),
                        run.partitions());
                assertThat(after).as("changes after the snapshot").isNotEmpty().hasSizeLessThan(committed.size());
                assertThat(delivered)
                        .as("seed %d", SEED)
                        .hasSize(rows.size() + after.size())
                        .containsExactlyInAnyOrderElementsOf(run.returned());
                assertThat(MirrorRows.differences(
                                TABLE, MirrorRows.inSpanner(client, TABLE, source.postgres()), audit.rows(TABLE)))
                        .as("seed %d", SEED)
                        .isEmpty();
                assertThat(audit.violations()).as("seed %d", SEED).isEmpty();
                return Set.of();
            }
        }
    }

    private static List<DataChangeRecord> ofSnapshot(List<DataChangeRecord> changes) {
        return changes.stream()
                .filter(change -> change.serverTransactionId().startsWith("snapshot:"))
                .toList();
    }

    private static void createStream(SpannerServer server, DatabaseId id) throws Exception {
        try (Spanner spanner = server.client()) {
            spanner.getDatabaseAdminClient()
                    .updateDatabaseDdl(
                            id.getInstanceId().getInstance(),
                            id.getDatabase(),
                            List.of("CREATE CHANGE STREAM mirrored FOR ALL"),
                            null)
                    .get();
        }
    }

    private static void fill(DatabaseClient client, boolean postgres) {
        Random random = new Random(SEED);
        List<Mutation> rows = new ArrayList<>();
        for (int id = 0; id < ROWS; id++) {
            Mutation.WriteBuilder row = row(Mutation.newInsertBuilder(TABLE.name()), id, 1);
            for (String name : TABLE.valueColumns()) {
                MirrorTable.Column column = TABLE.column(name);
                MirrorType type = column.type();
                row.set(name)
                        .to(
                                column.array()
                                        ? type.array(List.of(type.any(random), type.any(random)), postgres)
                                        : type.value(random.nextInt(6) == 0 ? null : type.any(random), postgres));
            }
            rows.add(row.build());
        }
        client.write(rows);
    }

    private static Mutation.WriteBuilder row(Mutation.WriteBuilder row, int id, long revision) {
        return row.set("Id")
                .to(id)
                .set("Region")
                .to(region(id))
                .set(MirrorTable.REVISION)
                .to(revision);
    }

    private static String region(int id) {
        return List.of("eu", "ús", "\"x\\y\"").get(id % 3);
    }

    /** Updates, deletes and inserts of rows, each row once. */
    private static List<Mutation> mutations() {
        List<Integer> ids = IntStream.range(0, ROWS + ROWS / 3).boxed().collect(Collectors.toList());
        Collections.shuffle(ids, new Random(SEED));
        List<Mutation> mutations = new ArrayList<>();
        for (int id : ids.subList(0, ROWS / 2)) {
            if (id >= ROWS) {
                mutations.add(
                        row(Mutation.newInsertBuilder(TABLE.name()), id, 1).build());
            } else if (id % 3 == 0) {
                mutations.add(Mutation.delete(TABLE.name(), Key.of(region(id), id)));
            } else {
                mutations.add(
                        row(Mutation.newUpdateBuilder(TABLE.name()), id, 2).build());
            }
        }
        return mutations;
    }

    /** Commits one after the other, and returns the times of the commits. */
    private static List<Instant> write(DatabaseClient client, List<Mutation> mutations) {
        List<Instant> committed = new ArrayList<>();
        for (Mutation mutation : mutations) {
            committed.add(client.write(List.of(mutation)).toSqlTimestamp().toInstant());
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return committed;
    }
}
