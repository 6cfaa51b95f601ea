package dev.spream.storage.spanner;

import static dev.spream.core.partition.PartitionState.CREATED;
import static dev.spream.core.partition.PartitionState.FINISHED;
import static dev.spream.core.partition.PartitionState.RUNNING;
import static dev.spream.core.partition.PartitionState.SCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import dev.spream.core.StorageException;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.LineageCheck;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import dev.spream.servers.SpannerServer;
import dev.spream.storage.spanner.MetadataSetup.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Making the tables of a subscription, and adopting those of other readers. */
@ParameterizedClass(name = "{1} on {0}")
@MethodSource("dev.spream.storage.spanner.ServersAndDialects#all")
@Timeout(120)
class SpannerPartitionTablesIT {
    private static final Instant START = Instant.parse("2026-03-01T10:00:00.123456789Z");
    private static final WorkerId WORKER = new WorkerId("worker");

    private final MetadataDatabase database;

    SpannerPartitionTablesIT(SpannerServer server, Dialect dialect) {
        this.database = MetadataDatabase.of(server, dialect);
    }

    private static Instant at(long seconds) {
        return START.plusSeconds(seconds);
    }

    private static PartitionToken token(String value) {
        return new PartitionToken(value);
    }

    private static SubscriptionRecord requested() {
        return new SubscriptionRecord(
                "Orders", at(500), Optional.empty(), Duration.ofSeconds(10), PartitionMode.IMMUTABLE_KEY_RANGE, false);
    }

    private MetadataSetup create(String table) {
        return SpannerPartitionTables.create(database.connection(), table);
    }

    private PartitionStorage open(String table) {
        return SpannerPartitionStorage.open(database.connection(), table);
    }

    /** Root read to its end, then: a and b merged into m; c split into d and e. */
    private static ForeignTable fill(ForeignTable table) {
        List<String> root = List.of("Parent0");
        return table.row("Parent0", List.of(), START, FINISHED, START)
                .row("a", root, START, FINISHED, at(10))
                .row("b", root, START, FINISHED, at(10))
                .row("c", root, START, FINISHED, at(7))
                .row("d", List.of("c"), at(7), RUNNING, at(20).plusNanos(1))
                .row("e", List.of("c"), at(7), SCHEDULED, at(7))
                .row("m", List.of("a", "b"), at(10), CREATED, at(10));
    }

    @Test
    void tables_are_created_once() {
        String table = database.newTable();
        assertThat(create(table)).isEqualTo(new MetadataSetup(Outcome.CREATED, 0));
        assertThat(create(table)).isEqualTo(new MetadataSetup(Outcome.READY, 0));
        assertThat(open(table).subscription()).isEmpty();

        open(table).openSubscription(requested());
        assertThat(create(table)).isEqualTo(new MetadataSetup(Outcome.READY, 0));
        assertThat(open(table).subscription()).contains(requested());
    }

    @Test
    void foreign_tables_with_the_same_names_are_refused_before_anything_is_created() throws Exception {
        String table = database.newTable();
        MetadataTables names = new MetadataTables(table, database.dialect());
        database.connection()
                .spanner()
                .getDatabaseAdminClient()
                .updateDatabaseDdl(
                        database.connection().database().instance(),
                        database.connection().database().database(),
                        List.of(new MetadataDdl(new MetadataTables(table + "_Other", database.dialect()))
                                .workers()
                                .replace(names.quoted(table + "_Other_Workers"), names.quoted(names.subscription()))),
                        null)
                .get();
        assertThatThrownBy(() -> create(table))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining(
                        "table %s exists but is not a table of a subscription".formatted(names.subscription()));
        assertThatThrownBy(() -> open(table)).hasMessageContaining("exists but is not a table of a subscription");
    }

    @Test
    void opening_a_table_that_is_missing_or_not_ours_says_what_to_do() {
        assertThatThrownBy(() -> open(database.newTable()))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("--create-table");
        ForeignTable foreign = fill(ForeignTable.ofBeam(database));
        assertThatThrownBy(() -> open(foreign.name()))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("column Epoch")
                .hasMessageContaining("SpannerPartitionTables.create");
    }

    @Test
    void tables_of_an_earlier_release_are_named_and_completed_in_place() throws Exception {
        String table = database.newTable();
        MetadataTables names = new MetadataTables(table, database.dialect());
        database.connection()
                .updateDdl(new MetadataDdl(names)
                        .all().stream()
                                .map(SpannerPartitionTablesIT::ofEarlierRelease)
                                .toList());
        database.client()
                .write(List.of(
                        Mutation.newInsertBuilder(names.subscription())
                                .set(MetadataDdl.ID)
                                .to(1)
                                .set(MetadataDdl.STREAM_NAME)
                                .to("Orders")
                                .set(MetadataColumn.START_TIMESTAMP.columnName)
                                .to(PartitionRows.value(requested().startTimestamp()))
                                .set(MetadataColumn.HEARTBEAT_MILLIS.columnName)
                                .to(10_000)
                                .set(MetadataDdl.PARTITION_MODE)
                                .to("IMMUTABLE_KEY_RANGE")
                                .set(MetadataDdl.COMPLETED)
                                .to(false)
                                .set(MetadataColumn.CREATED_AT.columnName)
                                .to(Value.COMMIT_TIMESTAMP)
                                .build(),
                        Mutation.newInsertBuilder(names.workers())
                                .set(MetadataDdl.WORKER_ID)
                                .to(WORKER.value())
                                .set(MetadataDdl.CAPACITY)
                                .to(9)
                                .set(MetadataDdl.REGISTERED_AT)
                                .to(Value.COMMIT_TIMESTAMP)
                                .set(MetadataDdl.ALIVE_UNTIL)
                                .to(PartitionRows.value(at(0)))
                                .build()));

        assertThatThrownBy(() -> open(table))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("column %s of table %s", MetadataDdl.SNAPSHOT_QUERY, names.subscription())
                .hasMessageContaining("column %s of table %s", MetadataDdl.WHOLE_TRANSACTIONS, names.workers())
                .hasMessageContaining("column %s of table %s", MetadataDdl.AS_OF, names.workers())
                .hasMessageContaining("SpannerPartitionTables.create");
        assertThat(create(table)).isEqualTo(new MetadataSetup(Outcome.READY, 0));

        PartitionStorage storage = open(table);
        assertThat(storage.openSubscription(requested())).isEqualTo(requested());
        assertThat(storage.workers()).singleElement().satisfies(worker -> {
            assertThat(worker.worker()).isEqualTo(WORKER);
            assertThat(worker.wholeTransactions()).isFalse();
            assertThat(worker.progress()).isEmpty();
        });
        Optional<WorkerProgress> progress = Optional.of(new WorkerProgress(Optional.of(at(3)), at(4)));
        storage.registerWorker(WORKER, 9, true, progress, Duration.ofMinutes(1));
        assertThat(storage.workers()).allMatch(WorkerRegistration::wholeTransactions);
        assertThat(storage.frontierSince(Optional.empty(), Set.of()).workers().progress())
                .isEqualTo(progress);
    }

    private static String ofEarlierRelease(String statement) {
        return MetadataDdl.AddedColumn.names().stream()
                .reduce(
                        statement,
                        (shortened, column) ->
                                shortened.replaceAll(", [`\"]%s[`\"] \\w+(\\(MAX\\))?".formatted(column), ""));
    }

    @Test
    void several_that_create_at_once_succeed() throws Exception {
        String table = database.newTable();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CyclicBarrier start = new CyclicBarrier(2);
            List<Future<MetadataSetup>> calls = new ArrayList<>();
            for (SpannerConnection connection : List.of(database.connection(), database.otherConnection())) {
                calls.add(threads.submit(() -> {
                    start.await();
                    return SpannerPartitionTables.create(connection, table);
                }));
            }
            for (Future<MetadataSetup> call : calls) {
                assertThat(call.get().outcome()).isNotEqualTo(Outcome.ADOPTED);
            }
        }
        assertThat(open(table).openSubscription(requested())).isEqualTo(requested());
    }

    @Test
    void a_table_of_beam_is_adopted_in_place() {
        ForeignTable table = fill(ForeignTable.ofBeam(database));
        List<Struct> before = table.rows();

        assertThat(create(table.name())).isEqualTo(new MetadataSetup(Outcome.ADOPTED, 7));

        assertThat(table.rows()).as("what Beam wrote").isEqualTo(before);
        assertThat(table.ddl()).doesNotContainIgnoringCase("DELETION POLICY").doesNotContainIgnoringCase("TTL");
        judge(open(table.name()));
        assertThat(create(table.name())).isEqualTo(new MetadataSetup(Outcome.READY, 0));
    }

    @Test
    void a_table_of_the_go_spream_is_adopted_in_place() {
        ForeignTable table = fill(ForeignTable.ofGoSpream(database));
        assertThat(create(table.name())).isEqualTo(new MetadataSetup(Outcome.ADOPTED, 7));
        judge(open(table.name()));
    }

    private void judge(PartitionStorage storage) {
        assertThat(storage.subscription()).as("until the stream is named").isEmpty();
        SubscriptionRecord opened = storage.openSubscription(requested());
        assertThat(opened)
                .isEqualTo(new SubscriptionRecord(
                        "Orders",
                        START,
                        Optional.empty(),
                        Duration.ofSeconds(2),
                        PartitionMode.IMMUTABLE_KEY_RANGE,
                        false));
        assertThat(storage.subscription()).contains(opened);
        assertThat(storage.openSubscription(requested())).isEqualTo(opened);

        Lineage lineage = storage.lineage();
        assertThat(lineage.partitions()).hasSize(7);
        assertThat(end(lineage, "Parent0")).isEqualTo(adopted(0, "a", "b", "c"));
        assertThat(end(lineage, "a")).isEqualTo(adopted(10, "m"));
        assertThat(end(lineage, "b")).isEqualTo(adopted(10, "m"));
        assertThat(end(lineage, "c")).isEqualTo(adopted(7, "d", "e"));
        PartitionMetadata d = lineage.partition(token("d")).orElseThrow();
        assertThat(d.state()).isEqualTo(RUNNING);
        assertThat(d.watermark()).isEqualTo(at(20).plusNanos(1));
        assertThat(d.epoch()).isZero();
        assertThat(d.owner()).isEmpty();
        assertThat(storage.proofs()).isEmpty();
        assertThat(LineageCheck.check(opened, lineage, storage.proofs()).findings())
                .isEmpty();
        assertThat(storage.frontier().claimable())
                .extracting(PartitionMetadata::token)
                .containsExactly(token("e"), token("m"), token("d"));
        continueReading(storage, d);
    }

    private static void continueReading(PartitionStorage storage, PartitionMetadata d) {
        PartitionLease lease = storage.acquire(WORKER, List.of(PartitionClaim.of(d)), Duration.ofMinutes(1))
                .getFirst();
        assertThat(lease).isEqualTo(new PartitionLease(token("d"), WORKER, 1, at(20).plusNanos(1)));
        assertThat(storage.markRunning(lease)).isTrue();
        assertThat(storage.advanceWatermarks(List.of(new WatermarkAdvance(lease, at(30)))))
                .isEmpty();
        assertThat(storage.finish(lease, at(40), PartitionEnd.boundedEnd(at(40))))
                .isTrue();
        assertThat(storage.cleanUp(START.plusSeconds(60)))
                .as("a, b and c are parents")
                .isEqualTo(1);
    }

    private static PartitionEnd end(Lineage lineage, String token) {
        return lineage.partition(token(token)).orElseThrow().endProof().orElseThrow();
    }

    private static PartitionEnd adopted(long endSeconds, String... children) {
        return new PartitionEnd(
                PartitionEnd.Kind.ADOPTED,
                at(endSeconds),
                List.of(children).stream().map(PartitionToken::new).toList());
    }

    @Test
    void parents_that_the_deletion_policy_took_are_proven_as_adopted() {
        ForeignTable table = ForeignTable.ofBeam(database)
                .endingAt(at(3600))
                .row("d", List.of("c"), at(7), RUNNING, at(20))
                .row("m", List.of("a", "b"), at(10), FINISHED, at(12))
                .row("n", List.of("m"), at(12), CREATED, at(12))
                .row("o", null, at(7), RUNNING, at(9));

        assertThat(create(table.name())).isEqualTo(new MetadataSetup(Outcome.ADOPTED, 4));

        PartitionStorage storage = open(table.name());
        SubscriptionRecord subscription = storage.openSubscription(requested());
        assertThat(subscription.startTimestamp()).isEqualTo(at(7));
        assertThat(subscription.endTimestamp()).contains(at(3600));
        assertThat(storage.proofs())
                .extracting(FinishedPartition::token)
                .containsExactly(token("Parent0"), token("a"), token("b"), token("c"));
        assertThat(storage.proofs())
                .extracting(FinishedPartition::endProof)
                .containsExactly(adopted(7, "o"), adopted(10, "m"), adopted(10, "m"), adopted(7, "d"));
        assertThat(LineageCheck.check(subscription, storage.lineage(), storage.proofs())
                        .findings())
                .isEmpty();
        assertThat(storage.completeIfAllFinished()).isFalse();
    }

    @Test
    void a_partition_that_was_finished_before_its_last_changes_were_committed_is_read_on() {
        List<String> root = List.of("Parent0");
        ForeignTable table = ForeignTable.ofBeam(database)
                .row("Parent0", List.of(), START, FINISHED, START)
                .row("a", root, START, FINISHED, at(9))
                .row("b", root, START, FINISHED, at(10).truncatedTo(ChronoUnit.MILLIS))
                .row("c", List.of("a"), at(10), RUNNING, at(12))
                .row("d", List.of("b"), at(10), RUNNING, at(12));

        assertThat(create(table.name())).isEqualTo(new MetadataSetup(Outcome.ADOPTED, 5));

        PartitionStorage storage = open(table.name());
        SubscriptionRecord subscription = storage.openSubscription(requested());
        PartitionMetadata a = storage.lineage().partition(token("a")).orElseThrow();
        assertThat(a.state()).isEqualTo(RUNNING);
        assertThat(a.watermark()).isEqualTo(at(9));
        assertThat(storage.lineage().partition(token("b")).orElseThrow().isFinished())
                .isTrue();
        assertThat(storage.frontier().claimable())
                .as("c waits for a")
                .extracting(PartitionMetadata::token)
                .containsExactly(token("a"), token("d"));
        assertThat(LineageCheck.check(subscription, storage.lineage(), storage.proofs())
                        .findings())
                .isEmpty();
    }

    @Test
    void a_table_of_a_stream_with_mutable_key_ranges_is_adopted_at_its_earliest_watermark() {
        ForeignTable table = ForeignTable.ofBeam(database)
                .row("Parent0", null, START, FINISHED, START)
                .row("a", null, START, FINISHED, at(5))
                .row("b", List.of(), START, RUNNING, at(90))
                .row("c", null, at(10), SCHEDULED, at(10))
                .row("gone", null, at(20), FINISHED, at(80))
                .row("late", null, at(6_000), FINISHED, at(6_001))
                .row("d", null, at(6_000), RUNNING, at(6_000));

        assertThat(create(table.name())).isEqualTo(new MetadataSetup(Outcome.ADOPTED, 7));

        PartitionStorage storage = open(table.name());
        SubscriptionRecord opened = storage.openSubscription(mutable());
        assertThat(opened.partitionMode()).isEqualTo(PartitionMode.MUTABLE_KEY_RANGE);
        Lineage lineage = storage.lineage();
        assertThat(lineage.partition(token("a")).orElseThrow().endProof()).contains(adopted(5));
        PartitionMetadata late = lineage.partition(token("late")).orElseThrow();
        assertThat(late.state())
                .as("its end is unknown, and Beam may not have delivered its last changes")
                .isEqualTo(RUNNING);
        assertThat(late.watermark()).isEqualTo(at(6_000));
        PartitionMetadata b = lineage.partition(token("b")).orElseThrow();
        assertThat(b.watermark())
                .as("keys may have moved in from c, which is behind")
                .isEqualTo(at(10));
        assertThat(b.moveIn()).isEmpty();
        assertThat(b.moveOuts()).isEmpty();
        PartitionMetadata gone = lineage.partition(token("gone")).orElseThrow();
        assertThat(gone.state()).as("keys of c may have been there").isEqualTo(RUNNING);
        assertThat(gone.watermark()).isEqualTo(at(20));
        assertThat(lineage.partition(token("d")).orElseThrow().watermark()).isEqualTo(at(6_000));
        assertThat(storage.frontier().claimable())
                .extracting(PartitionMetadata::token)
                .contains(token("b"), token("c"), token("d"), token("gone"), token("late"));
        assertThat(LineageCheck.check(opened, lineage, storage.proofs()).findings())
                .isEmpty();
    }

    private static SubscriptionRecord mutable() {
        return new SubscriptionRecord(
                "Orders", at(500), Optional.empty(), Duration.ofSeconds(10), PartitionMode.MUTABLE_KEY_RANGE, false);
    }

    @Test
    void a_table_of_an_earlier_version_gets_the_columns_that_it_lacks() throws Exception {
        String table = database.newTable();
        create(table);
        PartitionStorage storage = open(table);
        storage.openSubscription(mutable());
        List<PartitionMetadata> before = List.copyOf(storage.lineage().partitions());
        drop(
                table,
                MetadataColumn.CHANGED_AT,
                MetadataColumn.MOVE_IN_TIMESTAMP,
                MetadataColumn.MOVE_IN_SOURCES,
                MetadataColumn.MOVE_OUT_SEQUENCE,
                MetadataColumn.MOVE_OUT_DESTINATIONS);
        assertThatThrownBy(() -> open(table))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("missing column MoveInTimestamp, column MoveInSources, column MoveOutSequence,"
                        + " column MoveOutDestinations, column ChangedAt, index " + table + "_ByChange");

        assertThat(create(table)).isEqualTo(new MetadataSetup(Outcome.READY, 0));

        PartitionStorage completed = open(table);
        assertThat(completed.lineage().partitions()).containsExactlyElementsOf(before);
        FrontierChanges first = completed.frontierSince(Optional.empty(), Set.of());
        assertThat(first.partitions().partitions()).containsExactlyElementsOf(before);
        FrontierChanges second = completed.frontierSince(first.mark(), Set.of());
        assertThat(second.partitions().partitions())
                .as("NULL counts as unchanged")
                .isEmpty();
        PartitionLease lease = completed
                .acquire(WORKER, List.of(PartitionClaim.of(before.getFirst())), Duration.ofMinutes(1))
                .getFirst();
        assertThat(completed.frontierSince(second.mark(), Set.of()).partitions().partitions())
                .extracting(PartitionMetadata::owner)
                .containsExactly(Optional.of(WORKER));
        completed.markRunning(lease);
        MoveIn moveIn = new MoveIn(at(600), List.of(token("b")));
        assertThat(completed.waitForMoveIn(lease, moveIn)).isTrue();
        assertThat(completed
                        .lineage()
                        .partition(PartitionToken.ROOT)
                        .orElseThrow()
                        .moveIn())
                .contains(moveIn);
    }

    /** Drops columns and the index by change. */
    private void drop(String table, MetadataColumn... columns) throws Exception {
        MetadataTables tables = new MetadataTables(table, database.dialect());
        database.connection()
                .spanner()
                .getDatabaseAdminClient()
                .updateDatabaseDdl(
                        database.connection().database().instance(),
                        database.connection().database().database(),
                        Stream.concat(
                                        Stream.of("DROP INDEX " + tables.quoted(tables.byChange())),
                                        Stream.of(columns)
                                                .map(column -> "ALTER TABLE %s DROP COLUMN %s"
                                                        .formatted(
                                                                tables.quoted(table),
                                                                tables.quoted(column.columnName))))
                                .toList(),
                        null)
                .get();
    }

    @Test
    void a_table_that_changed_a_moment_ago_is_adopted_with_force_only() {
        ForeignTable table = fill(ForeignTable.ofBeam(database));
        table.schedule("m");
        assertThatThrownBy(() -> create(table.name()))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("may still be running")
                .hasMessageContaining("force")
                .satisfies(e -> assertThat(((StorageException) e).retryable()).isFalse());
        assertThat(table.ddl()).as("nothing was changed").doesNotContain("Epoch");

        assertThat(SpannerPartitionTables.create(database.connection(), table.name(), true))
                .isEqualTo(new MetadataSetup(Outcome.ADOPTED, 7));
        assertThat(open(table.name()).openSubscription(requested()).startTimestamp())
                .isEqualTo(START);
    }

    @Test
    void several_that_adopt_at_once_adopt_once() throws Exception {
        ForeignTable table = fill(ForeignTable.ofBeam(database));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            CyclicBarrier start = new CyclicBarrier(2);
            List<Future<MetadataSetup>> calls = new ArrayList<>();
            for (SpannerConnection connection : List.of(database.connection(), database.otherConnection())) {
                calls.add(threads.submit(() -> {
                    start.await();
                    return SpannerPartitionTables.create(connection, table.name());
                }));
            }
            int adopted = 0;
            for (Future<MetadataSetup> call : calls) {
                adopted += call.get().adopted();
            }
            assertThat(adopted).isEqualTo(7);
        }
        judge(open(table.name()));
    }

    @Test
    void an_interrupted_adoption_continues() {
        ForeignTable table = fill(ForeignTable.ofBeam(database));
        create(table.name());
        database.client().write(List.of(Mutation.delete(table.tables().subscription(), SubscriptionRows.KEY)));
        PartitionStorage storage = open(table.name());
        assertThatThrownBy(() -> storage.openSubscription(requested()))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("not adopted");

        assertThat(create(table.name())).isEqualTo(new MetadataSetup(Outcome.ADOPTED, 7));
        judge(storage);
    }

    @Test
    void a_table_of_something_else_is_refused() {
        String table = database.newTable();
        create(table);
        assertThatThrownBy(() -> create(table + "_Workers"))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("PartitionToken")
                .hasMessageContaining("another name");
    }
}
