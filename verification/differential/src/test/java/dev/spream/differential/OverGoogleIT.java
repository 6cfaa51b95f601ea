package dev.spream.differential;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Options;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Value;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.core.subscription.Subscriber;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.control.Fault;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.servers.GoogleEmulator;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Our emulator over Google's: what it adds to change streams, and what passes through. In GoogleSQL, and in PostgreSQL too
 * where the run takes all servers; churn is in PostgreSQL.
 */
@ParameterizedClass(name = "{0}", allowZeroInvocations = true)
@MethodSource("dialects")
@Timeout(120)
class OverGoogleIT {
    private static final String TABLE = "CREATE TABLE Items (Id INT64 NOT NULL, Amount INT64, Rate FLOAT32,"
            + " Seen TIMESTAMP OPTIONS (allow_commit_timestamp = true)) PRIMARY KEY (Id)";
    private static final String POSTGRES_TABLE = "CREATE TABLE \"Items\" (\"Id\" bigint NOT NULL PRIMARY KEY,"
            + " \"Amount\" bigint, \"Rate\" real, \"Seen\" SPANNER.COMMIT_TIMESTAMP)";

    private static final Duration HEARTBEAT = Duration.ofSeconds(1);

    private static Optional<GoogleEmulator> google = Optional.empty();

    private final Dialect dialect;
    private Optional<SpannerEmulator> started = Optional.empty();

    OverGoogleIT(Dialect dialect) {
        this.dialect = dialect;
    }

    static List<Dialect> dialects() {
        if (GoogleEmulator.find().isEmpty()) {
            System.out.println("OverGoogleIT: Google's emulator was not found, so nothing was tested over it");
            return List.of();
        }
        return SpannerServers.areAll() ? List.of(Dialect.values()) : List.of(Dialect.GOOGLE_STANDARD_SQL);
    }

    @BeforeAll
    static void startGoogles() throws Exception {
        Optional<Path> program = GoogleEmulator.find();
        if (program.isPresent()) {
            google = Optional.of(GoogleEmulator.start(program.get()));
        }
    }

    @AfterAll
    static void stopGoogles() {
        google.ifPresent(GoogleEmulator::close);
    }

    @AfterEach
    void stop() {
        started.ifPresent(SpannerEmulator::close);
    }

    private SpannerEmulator start(SpannerEmulator.Builder builder) {
        stop();
        SpannerEmulator emulator = builder.over(google.orElseThrow().host()).start();
        started = Optional.of(emulator);
        return emulator;
    }

    private DatabaseId createDatabase(SpannerEmulator emulator, String options) {
        return new SpannerServer("over Google's", emulator.emulatorHost())
                .createDatabase(dialect, List.of(isPostgres() ? POSTGRES_TABLE : TABLE, stream(options)));
    }

    private boolean isPostgres() {
        return dialect == Dialect.POSTGRESQL;
    }

    private String stream(String options) {
        String quoted = isPostgres() ? "\"ItemStream\"" : "ItemStream";
        String clause = isPostgres() ? " WITH (" : " OPTIONS (";
        return "CREATE CHANGE STREAM " + quoted + " FOR ALL" + (options.isEmpty() ? "" : clause + options + ")");
    }

    private static SpannerConnection connect(SpannerEmulator emulator, DatabaseId database) {
        return SpannerConnection.builder(DatabaseName.parse(database.getName()))
                .emulatorHost(emulator.emulatorHost())
                .channels(2)
                .open();
    }

    private static Instant write(SpannerConnection connection, long id, long amount, String tag) {
        Mutation mutation = Mutation.newInsertOrUpdateBuilder("Items")
                .set("Id")
                .to(id)
                .set("Amount")
                .to(amount)
                .set("Rate")
                .to(3.14f)
                .set("Seen")
                .to(Value.COMMIT_TIMESTAMP)
                .build();
        Timestamp committed = tag.isEmpty()
                ? connection.client().write(List.of(mutation))
                : connection
                        .client()
                        .writeWithOptions(List.of(mutation), Options.tag(tag))
                        .getCommitTimestamp();
        return Instant.ofEpochSecond(committed.getSeconds(), committed.getNanos());
    }

    private static List<DataChangeRecord> deliver(SpannerConnection connection, Instant from, Instant to) {
        return deliver(connection, from, to, change -> {});
    }

    private static List<DataChangeRecord> deliver(
            SpannerConnection connection, Instant from, Instant to, Consumer<DataChangeRecord> seen) {
        List<DataChangeRecord> delivered = new CopyOnWriteArrayList<>();
        try (var source = SpannerChangeStreamSource.open(connection.client(), "ItemStream");
                var subscriber = Subscriber.builder(source, new InMemoryPartitionStorage())
                        .options(options -> options.startAt(from).endAt(to).heartbeatInterval(HEARTBEAT))
                        .build()) {
            subscriber.run(change -> {
                delivered.add(change);
                seen.accept(change);
            });
        }
        return delivered;
    }

    /** Mutable partitions in PostgreSQL; immutable ones too, and each in both dialects, where the run takes all servers. */
    @Test
    void partitions_with_churn_and_faults_deliver_what_was_committed_in_order() {
        OverGoogleIT postgres = SpannerServers.areAll() ? this : new OverGoogleIT(Dialect.POSTGRESQL);
        try {
            postgres.churned("partition_mode = 'MUTABLE_KEY_RANGE'");
            if (SpannerServers.areAll()) {
                churned("value_capture_type = 'NEW_ROW'");
            }
        } finally {
            postgres.stop();
        }
    }

    private void churned(String options) {
        SpannerEmulator emulator = start(SpannerEmulator.builder().churn(PartitionChurn.every(Duration.ofMillis(50))));
        DatabaseId database = createDatabase(emulator, options);
        CommitLog log = emulator.recordCommits(database.getName());
        Map<Long, List<Long>> byKey = new ConcurrentHashMap<>();
        List<DataChangeRecord> delivered;
        try (SpannerConnection connection = connect(emulator, database)) {
            Instant first = write(connection, 0, 0, "");
            Instant last = first;
            for (int i = 1; i <= 75; i++) {
                last = write(connection, i % 20, i, i % 2 == 0 ? "even" : "");
                if (i % 25 == 0) {
                    emulator.faults(database.getName(), "ItemStream").running(Fault.of(Fault.Kind.UNAVAILABLE));
                }
            }
            delivered = deliver(connection, first, last);
        }
        assertThat(delivered).hasSize(76).doesNotHaveDuplicates();
        delivered.forEach(change -> byKey.computeIfAbsent(
                        change.mods().getFirst().keys().int64("Id").orElseThrow(), key -> new CopyOnWriteArrayList<>())
                .add(amount(change)));
        assertThat(byKey)
                .hasSize(20)
                .allSatisfy((key, amounts) -> assertThat(amounts).isSorted());
        assertThat(delivered)
                .allSatisfy(change -> assertThat(change.transactionTag())
                        .isEqualTo(amount(change) % 2 == 0 && amount(change) > 0 ? "even" : ""));
        assertThat(log.rows()).hasSize(76);
        Map<Instant, CommitLog.CommittedRow> committed = new TreeMap<>();
        log.rows().forEach(row -> committed.put(row.timestamp(), row));
        assertThat(delivered).allSatisfy(change -> {
            var row = Optional.ofNullable(committed.get(change.commitTimestamp()))
                    .orElseThrow()
                    .row();
            assertThat(requireNonNull(row.get("Amount")).getStringValue()).isEqualTo(Long.toString(amount(change)));
            Mod mod = change.mods().getFirst();
            assertThat(mod.newValues().string("Seen"))
                    .contains(change.commitTimestamp().toString());
            assertThat(requireNonNull(row.get("Seen")).getStringValue())
                    .isEqualTo(change.commitTimestamp().toString());
        });
        PartitionControl.Counts counts =
                emulator.partitions(database.getName(), "ItemStream").counts();
        assertThat(counts.splits() + counts.merges() + counts.moves()).isGreaterThan(5);
    }

    private static long amount(DataChangeRecord change) {
        return change.mods().getFirst().newValues().int64("Amount").orElseThrow();
    }

    @Test
    void a_live_query_gets_a_change_that_is_committed_meanwhile() {
        SpannerEmulator emulator = start(SpannerEmulator.builder());
        DatabaseId database = createDatabase(emulator, "");
        try (SpannerConnection connection = connect(emulator, database)) {
            Instant first = write(connection, 1, 1, "");
            List<DataChangeRecord> delivered = deliver(connection, first, first.plusSeconds(10), change -> {
                if (amount(change) == 1) {
                    write(connection, 2, 2, "");
                }
            });
            assertThat(delivered).extracting(OverGoogleIT::amount).containsExactly(1L, 2L);
        }
    }

    @Test
    void the_mode_of_a_stream_is_found_in_the_information_schema_and_the_ddl() throws Exception {
        SpannerEmulator emulator = start(SpannerEmulator.builder());
        DatabaseId database =
                createDatabase(emulator, "partition_mode = 'MUTABLE_KEY_RANGE', value_capture_type = 'NEW_ROW'");
        String query = "SELECT o.option_name, o.option_value FROM information_schema.change_stream_options%s"
                + " WHERE o.change_stream_name = 'ItemStream' ORDER BY o.option_name";
        try (SpannerConnection connection = connect(emulator, database);
                Spanner spanner = new SpannerServer("over Google's", emulator.emulatorHost()).client()) {
            for (String alias : List.of(" AS o", " o")) {
                try (var rows = connection.client().singleUse().executeQuery(Statement.of(query.formatted(alias)))) {
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getString(1)).isEqualTo("MUTABLE_KEY_RANGE");
                    assertThat(rows.next()).isTrue();
                    assertThat(rows.getString(1)).isEqualTo("NEW_ROW");
                }
            }
            var admin = spanner.getDatabaseAdminClient();
            String instance = database.getInstanceId().getInstance();
            assertThat(admin.getDatabaseDdl(instance, database.getDatabase()))
                    .last()
                    .asString()
                    .contains("MUTABLE_KEY_RANGE")
                    .contains("NEW_ROW");
            List<String> tokens = tokens(emulator, database);
            String drop = "DROP CHANGE STREAM " + (isPostgres() ? "\"ItemStream\"" : "ItemStream");
            admin.updateDatabaseDdl(instance, database.getDatabase(), List.of(drop, stream("")), null)
                    .get();
            Instant after = write(connection, 2, 2, "");
            assertThat(deliver(connection, after, after)).hasSize(1);
            assertThat(tokens(emulator, database)).isNotEmpty().doesNotContainAnyElementsOf(tokens);
        }
    }

    private static List<String> tokens(SpannerEmulator emulator, DatabaseId database) {
        return emulator.partitions(database.getName(), "ItemStream").all().stream()
                .map(PartitionControl.PartitionView::token)
                .toList();
    }

    @Test
    void a_stream_that_was_created_in_the_other_server_is_served_from_its_creation_on() {
        SpannerEmulator emulator = start(SpannerEmulator.builder());
        DatabaseId database = new SpannerServer("Google's", google.orElseThrow().host())
                .createDatabase(dialect, List.of(isPostgres() ? POSTGRES_TABLE : TABLE, stream("")));
        try (SpannerConnection connection = connect(emulator, database)) {
            Instant first = write(connection, 1, 1, "");
            Instant last = write(connection, 2, 2, "");
            assertThat(deliver(connection, first, last)).hasSize(2);
        }
    }

    @Test
    void a_stream_that_was_dropped_in_the_other_server_leaves_the_others_served() throws Exception {
        SpannerEmulator emulator = start(SpannerEmulator.builder());
        DatabaseId database = createDatabase(emulator, "");
        alter(emulator.emulatorHost(), database, "CREATE CHANGE STREAM others FOR ALL");
        try (SpannerConnection connection = connect(emulator, database)) {
            Instant first = write(connection, 1, 1, "");
            assertThat(deliver(connection, first, first)).hasSize(1);
            alter(google.orElseThrow().host(), database, "DROP CHANGE STREAM others");
            Instant last = write(connection, 2, 2, "");
            assertThat(deliver(connection, first, last)).hasSize(2);
        }
    }

    @Test
    void a_stream_that_was_created_again_in_the_other_server_begins_anew() throws Exception {
        SpannerEmulator emulator = start(SpannerEmulator.builder());
        DatabaseId database = createDatabase(emulator, "");
        alter(emulator.emulatorHost(), database, "CREATE CHANGE STREAM others FOR ALL");
        String drop = "DROP CHANGE STREAM " + (isPostgres() ? "\"ItemStream\"" : "ItemStream");
        try (SpannerConnection connection = connect(emulator, database)) {
            Instant first = write(connection, 1, 1, "");
            assertThat(deliver(connection, first, first)).hasSize(1);
            List<String> tokens = tokens(emulator, database);
            alter(
                    google.orElseThrow().host(),
                    database,
                    "DROP CHANGE STREAM others",
                    "CREATE CHANGE STREAM others FOR ALL");
            assertThat(deliver(connection, first, write(connection, 2, 2, ""))).hasSize(2);
            alter(google.orElseThrow().host(), database, drop, stream(""));
            Instant last = write(connection, 3, 3, "");
            assertThat(deliver(connection, last, last)).hasSize(1);
            assertThat(tokens(emulator, database)).isNotEmpty().doesNotContainAnyElementsOf(tokens);
        }
    }

    @Test
    void a_stream_that_was_altered_in_the_other_server_is_served_as_it_is_there() throws Exception {
        SpannerEmulator emulator = start(SpannerEmulator.builder());
        DatabaseId database = createDatabase(emulator, "");
        try (SpannerConnection connection = connect(emulator, database)) {
            Instant first = write(connection, 1, 1, "");
            assertThat(deliver(connection, first, first))
                    .extracting(DataChangeRecord::valueCaptureType)
                    .containsExactly(ValueCaptureType.OLD_AND_NEW_VALUES);
            alter(
                    google.orElseThrow().host(),
                    database,
                    isPostgres()
                            ? "ALTER CHANGE STREAM \"ItemStream\" SET (value_capture_type = 'NEW_ROW')"
                            : "ALTER CHANGE STREAM ItemStream SET OPTIONS (value_capture_type = 'NEW_ROW')");
            Instant last = write(connection, 1, 2, "");
            assertThat(deliver(connection, last, last))
                    .extracting(DataChangeRecord::valueCaptureType)
                    .containsExactly(ValueCaptureType.NEW_ROW);
        }
    }

    @Test
    void ddl_that_fails_leaves_the_partitions_and_the_mode_of_a_stream() {
        SpannerEmulator emulator = start(SpannerEmulator.builder());
        DatabaseId database = createDatabase(emulator, "");
        List<String> tokens = tokens(emulator, database);
        String drop = "DROP CHANGE STREAM " + (isPostgres() ? "\"ItemStream\"" : "ItemStream");
        assertThatThrownBy(() -> alter(emulator.emulatorHost(), database, isPostgres() ? POSTGRES_TABLE : TABLE, drop))
                .hasMessageContaining("Items");
        assertThatThrownBy(
                        () -> alter(emulator.emulatorHost(), database, stream("partition_mode = 'MUTABLE_KEY_RANGE'")))
                .hasMessageContaining("ItemStream");
        assertThat(tokens(emulator, database)).isEqualTo(tokens);
        try (SpannerConnection connection = connect(emulator, database)) {
            Instant committed = write(connection, 1, 1, "");
            assertThat(deliver(connection, committed, committed)).hasSize(1);
            assertThat(SpannerChangeStreamSource.open(connection.client(), "ItemStream")
                            .partitionMode())
                    .isEqualTo(PartitionMode.IMMUTABLE_KEY_RANGE);
        }
    }

    @Test
    void a_database_that_was_dropped_in_the_other_server_is_created_anew() throws Exception {
        SpannerEmulator emulator = start(SpannerEmulator.builder());
        DatabaseId database = createDatabase(emulator, "");
        assertThat(tokens(emulator, database)).isNotEmpty();
        try (Spanner direct = new SpannerServer("Google's", google.orElseThrow().host()).client()) {
            direct.getDatabaseAdminClient()
                    .dropDatabase(database.getInstanceId().getInstance(), database.getDatabase());
        }
        emulator.createDatabase(
                database.getName(),
                isPostgres() ? DatabaseDialect.POSTGRESQL : DatabaseDialect.GOOGLE_STANDARD_SQL,
                isPostgres() ? POSTGRES_TABLE : TABLE,
                stream(""));
        try (SpannerConnection connection = connect(emulator, database)) {
            Instant committed = write(connection, 1, 1, "");
            assertThat(deliver(connection, committed, committed)).hasSize(1);
        }
    }

    @Test
    void a_database_whose_ddl_fails_is_not_created() {
        SpannerEmulator emulator = start(SpannerEmulator.builder());
        String name = "projects/spream-test/instances/test-instance/databases/not-created-"
                + dialect.name().substring(0, 4).toLowerCase(Locale.ROOT);
        DatabaseDialect of = isPostgres() ? DatabaseDialect.POSTGRESQL : DatabaseDialect.GOOGLE_STANDARD_SQL;
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> emulator.createDatabase(name, of, "CREATE TABLE"))
                    .hasMessageNotContaining("ALREADY_EXISTS");
        }
    }

    private static void alter(String host, DatabaseId database, String... ddl) throws Exception {
        try (Spanner spanner = new SpannerServer("either", host).client()) {
            spanner.getDatabaseAdminClient()
                    .updateDatabaseDdl(
                            database.getInstanceId().getInstance(), database.getDatabase(), List.of(ddl), null)
                    .get();
        }
    }

    @Test
    void a_driven_clock_holds_changes_back_until_it_is_advanced() throws Exception {
        DrivenClock clock = DrivenClock.startingAt(Instant.now());
        SpannerEmulator emulator = start(SpannerEmulator.builder().clock(clock));
        DatabaseId database = createDatabase(emulator, "");
        try (SpannerConnection connection = connect(emulator, database)) {
            Instant committed = write(connection, 1, 1, "");
            CommitLog log = emulator.recordCommits(database.getName());
            Instant held = write(connection, 2, 2, "");
            assertThat(log.rows()).isEmpty();
            clock.advance(Duration.between(
                    clock.instant(), held)); // a step ends at the very commit, and the next begins there
            assertThat(log.rows()).hasSize(1);
            clock.advance(Duration.ofMinutes(1));
            assertThat(log.rows())
                    .singleElement()
                    .satisfies(row -> assertThat(row.timestamp()).isEqualTo(held));
            assertThat(deliver(connection, committed, held)).hasSize(2);
        }
    }

    @Test
    void a_server_that_has_stopped_is_an_error_that_says_so() throws Exception {
        GoogleEmulator other = GoogleEmulator.start(GoogleEmulator.find().orElseThrow());
        try (SpannerEmulator emulator =
                SpannerEmulator.builder().over(other.host()).start()) {
            DatabaseId database = createDatabase(emulator, "");
            try (SpannerConnection connection = connect(emulator, database)) {
                write(connection, 1, 1, "");
                other.close();
                assertThatThrownBy(() -> emulator.partitions(database.getName(), "ItemStream")
                                .move(emulator.partitions(database.getName(), "ItemStream")
                                        .live()
                                        .getFirst()
                                        .token()))
                        .hasMessageContaining("UNAVAILABLE");
            }
        }
    }

    @Test
    void a_host_without_a_server_is_refused_at_the_start() throws IOException {
        try (var socket = new ServerSocket(0)) {
            String host = "127.0.0.1:" + socket.getLocalPort();
            socket.close();
            assertThatThrownBy(() -> SpannerEmulator.builder().over(host).start())
                    .hasMessageContaining("no Spanner server answers at " + host);
        }
    }

    @Test
    void sql_errors_are_those_of_the_other_server() {
        SpannerEmulator emulator = start(SpannerEmulator.builder());
        DatabaseId database = createDatabase(emulator, "");
        try (SpannerConnection connection = connect(emulator, database)) {
            assertThatThrownBy(() -> {
                        try (var rows = connection
                                .client()
                                .singleUse()
                                .executeQuery(Statement.of("SELECT missing FROM information_schema.tables"))) {
                            rows.next();
                        }
                    })
                    .isInstanceOfSatisfying(
                            SpannerException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        }
    }
}
