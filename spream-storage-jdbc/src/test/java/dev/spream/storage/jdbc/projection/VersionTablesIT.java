package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.ACT;
import static dev.spream.storage.jdbc.projection.TestProjections.ANN;
import static dev.spream.storage.jdbc.projection.TestProjections.LEASE;
import static dev.spream.storage.jdbc.projection.TestProjections.NAME;
import static dev.spream.storage.jdbc.projection.TestProjections.POISON;
import static dev.spream.storage.jdbc.projection.TestProjections.event;
import static dev.spream.storage.jdbc.projection.TestProjections.events;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.StorageException;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.SegmentLease;
import dev.spream.projection.SegmentShare;
import dev.spream.projection.event.EventEnvelope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A version writes its own tables and no others, and tables of others are neither moved nor dropped. */
@Timeout(120)
final class VersionTablesIT {
    private static final ProjectionCode CODE = new ProjectionCode(1, Set.of("balances"), false);
    private static final ProjectionCode WITH_TOTALS = new ProjectionCode(2, Set.of("balances", "totals"), false);
    private static final String BALANCES = "CREATE TABLE balances (key text PRIMARY KEY, events bigint NOT NULL)";
    private static final String TOTALS = "CREATE TABLE totals (key text PRIMARY KEY, events bigint NOT NULL)";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final TestProjections test = new TestProjections();
    private final ProjectionRebuilds rebuilds = test.operations.rebuilds();

    @AfterEach
    void close() {
        test.close();
    }

    private ProjectionVersion begin(ProjectionCode live, ProjectionCode other) {
        test.store.register(NAME, 1, live);
        int number = rebuilds.rebuild(NAME, OptionalInt.of(other.revision()), 0, ACT);
        return test.store.versions(NAME).stream()
                .filter(version -> version.version() == number)
                .findFirst()
                .orElseThrow();
    }

    private void prepare(ProjectionVersion version, ProjectionCode code, String... create) throws Exception {
        test.store.prepare(version, code, connection -> {
            try (Statement statement = connection.createStatement()) {
                for (String sql : create) {
                    statement.execute(sql);
                }
            }
        });
    }

    private void built() throws Exception {
        prepare(begin(CODE, CODE), CODE, BALANCES);
    }

    private void replaced() throws Exception {
        built();
        rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT);
    }

    private static Fence.Segment hold(ProjectionStore<Connection> store, String state) {
        SegmentLease lease =
                store.holdSegments(state, ANN, Set.of(), LEASE).held().getFirst();
        return new Fence.Segment(state, ANN, lease.segment(), lease.epoch());
    }

    private static void add(Connection connection, String table, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO %s AS b VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET events = b.events + 1"
                        .formatted(table))) {
            statement.setString(1, key);
            statement.executeUpdate();
        }
    }

    private static boolean apply(ProjectionStore<Connection> store, Fence fence, String table, EventEnvelope event)
            throws Exception {
        return store.apply(fence, Set.of(event.aggregateId()), (connection, states) -> {
            add(connection, table, event.aggregateId());
            return new BatchCheckpoint(
                    Map.of(event.aggregateId(), event.eventVersion()),
                    Map.of(),
                    List.of(),
                    OptionalLong.empty(),
                    Optional.of(event));
        });
    }

    /** Requires that the call is refused for good and writes nothing; returns the failure. */
    private StorageException refusal(Call call) throws Exception {
        List<String> before = test.balances();
        StorageException failure = catchThrowableOfType(StorageException.class, call::run);
        assertThat(failure).as("nothing was refused").isNotNull();
        assertThat(test.store.failureKind(failure)).isEqualTo(FailureKind.FATAL);
        assertThat(test.balances()).isEqualTo(before);
        return failure;
    }

    private interface Call {
        void run() throws Exception;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DROP TABLE public__balances_v1.balances",
                "DROP SCHEMA public__balances_v1 CASCADE",
                "ALTER SCHEMA public__balances_v1 RENAME TO old_balances"
            })
    void a_version_whose_tables_are_gone_does_not_write_the_live_ones(String byOperator) throws Exception {
        Fence.Segment live = test.held(ANN);
        test.park(live, "p", POISON, events("p", 1, 1));
        replaced();
        Fence.Segment retired = hold(test.store, NAME);
        assertThat(apply(test.store, retired, "balances", event("a", 1))).isTrue();
        assertThat(test.balances()).isEmpty();
        test.execute(byOperator);
        assertThat(refusal(() -> apply(test.store, retired, "balances", event("a", 2))))
                .hasMessageContaining(
                        "the tables [balances] of 'balances' are missing from its schema 'public__balances_v1'")
                .hasMessageContaining("nothing was written");
        assertThat(refusal(() -> test.store.retry(retired, "p", 10, (connection, last, events) -> {
                    add(connection, "balances", "p");
                    return 1;
                })))
                .hasMessageContaining("or drop it");
        assertThat(apply(test.store, hold(test.store, "balances@2"), "balances", event("a", 1)))
                .isTrue();
        assertThat(test.balances()).containsExactly("a,1");
        rebuilds.drop(NAME, 1, ACT);
    }

    @Test
    @Tag("proof")
    void a_writer_of_the_tables_may_use_a_schema_that_another_role_created() throws Exception {
        test.execute(
                "DROP ROLE IF EXISTS version_writer",
                "CREATE ROLE version_writer LOGIN",
                "GRANT INSERT, SELECT, UPDATE ON public.balances TO version_writer",
                "GRANT USAGE ON SCHEMA spream TO version_writer",
                "GRANT ALL ON ALL TABLES IN SCHEMA spream TO version_writer");
        PGSimpleDataSource asWriter = new PGSimpleDataSource();
        asWriter.setUrl(test.database().url().replaceFirst("user=\\w+", "user=version_writer"));
        try (JdbcProjectionStore store =
                JdbcProjectionStore.builder(asWriter).migrate(false).build()) {
            replaced();
            Fence.Segment retired = hold(store, NAME);
            assertThat(apply(store, retired, "balances", event("a", 1))).isTrue();
            assertThat(test.balances()).isEmpty();
            assertThat(test.rows("SELECT * FROM public__balances_v1.balances")).containsExactly("a,1");
            test.execute("REVOKE USAGE ON SCHEMA public__balances_v1 FROM version_writer");
            assertThat(refusal(() -> apply(store, retired, "balances", event("a", 2))))
                    .hasMessageContaining("which user 'version_writer' may not use");
        } finally {
            test.execute("DROP OWNED BY version_writer", "DROP ROLE version_writer");
        }
    }

    @Test
    @Tag("proof")
    void the_schema_of_a_version_that_retires_is_the_tables_owners() throws Exception {
        test.execute(
                "DROP ROLE IF EXISTS version_owner",
                "CREATE ROLE version_owner",
                "ALTER TABLE public.balances OWNER TO version_owner");
        try {
            replaced();
            assertThat(test.rows("SELECT nspowner::regrole FROM pg_namespace WHERE nspname = 'public__balances_v1'"))
                    .containsExactly("version_owner");
        } finally {
            test.execute("DROP OWNED BY version_owner", "DROP ROLE version_owner");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"totals", "public.balances"})
    void a_version_that_is_not_live_does_not_write_where_the_live_ones_are(String table) throws Exception {
        test.execute(TOTALS.replace("totals", "public.totals"));
        built();
        Fence.Segment live = hold(test.store, NAME);
        assertThat(apply(test.store, live, table, event("a", 1))).isTrue();
        Fence.Segment candidate = hold(test.store, "balances@2");
        assertThat(refusal(() -> apply(test.store, candidate, table, event("a", 1))))
                .hasMessageContaining("[%s]".formatted(table.replace("public.", "")))
                .hasMessageContaining("SideEffectingProjection");
        assertThat(test.rows("SELECT events FROM " + table)).containsExactly("1");
    }

    @Test
    void a_trigger_that_writes_what_versions_share_is_enabled_where_the_table_is_live() throws Exception {
        String trigger =
                "CREATE TRIGGER noted AFTER INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION public.noted()";
        test.execute(
                "CREATE TABLE public.log (key text)",
                """
                CREATE FUNCTION public.noted() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN INSERT INTO public.log VALUES (NEW.key); RETURN NULL; END'""",
                trigger.formatted("public.balances"),
                "ALTER TABLE public.balances ENABLE ALWAYS TRIGGER noted");
        prepare(begin(CODE, CODE), CODE, BALANCES, trigger.formatted("balances"));
        assertThat(refusal(() -> apply(test.store, hold(test.store, "balances@2"), "balances", event("a", 1))))
                .hasMessageContaining("[log]")
                .hasMessageContaining("DISABLE TRIGGER");
        test.execute("ALTER TABLE public__balances_v2.balances DISABLE TRIGGER noted");
        assertThat(log("balances@2", event("a", 1))).isEmpty();
        assertThat(log(NAME, event("a", 1))).containsExactly("a");
        rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT);
        assertThat(log("balances@2", event("a", 2))).containsExactly("a");
        assertThat(log(NAME, event("a", 2))).isEmpty();
        rebuilds.cutOver(NAME, 1, TIMEOUT, Set.of(), ACT);
        assertThat(log(NAME, event("a", 3))).containsExactly("a");
        assertThat(log("balances@2", event("a", 3))).isEmpty();
        assertThat(test.rows("SELECT tgrelid::regclass, tgenabled FROM pg_trigger WHERE tgname = 'noted' ORDER BY 2"))
                .containsExactly("balances,A", "public__balances_v2.balances,D");
    }

    /** Returns the rows of the log after an applied event. */
    private List<String> log(String state, EventEnvelope event) throws Exception {
        test.execute("TRUNCATE public.log");
        assertThat(apply(test.store, hold(test.store, state), "balances", event))
                .isTrue();
        return test.rows("SELECT key FROM public.log");
    }

    @Test
    void a_retry_of_a_version_that_is_not_live_does_not_write_there_either() throws Exception {
        built();
        Fence.Segment candidate = hold(test.store, "balances@2");
        test.park(candidate, "p", POISON, events("p", 1, 1));
        assertThat(refusal(() -> test.store.retry(candidate, "p", 10, (connection, last, events) -> {
                    add(connection, "public.balances", "p");
                    return 1;
                })))
                .hasMessageContaining("[balances]");
    }

    @Test
    void writes_of_the_live_version_on_the_same_connection_are_not_counted_for_a_candidate() throws Exception {
        built();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(test.database().url());
        config.setMaximumPoolSize(1);
        try (HikariDataSource one = new HikariDataSource(config);
                JdbcProjectionStore store = JdbcProjectionStore.create(one)) {
            Fence.Segment live = hold(store, NAME);
            Fence.Segment candidate = hold(store, "balances@2");
            for (int version = 1; version <= 3; version++) {
                assertThat(apply(store, live, "balances", event("a", version))).isTrue();
                assertThat(apply(store, candidate, "balances", event("a", version)))
                        .isTrue();
            }
        }
        assertThat(test.balances()).containsExactly("a,3");
        assertThat(test.rows("SELECT * FROM public__balances_v2.balances")).containsExactly("a,3");
    }

    @Test
    void a_drop_and_an_owner_that_renews_do_not_wait_for_each_other_in_a_circle() throws Exception {
        replaced();
        test.store.holdSegments(NAME, ANN, Set.of(), LEASE);
        FutureTask<Void> drop = new FutureTask<>(() -> rebuilds.drop(NAME, 1, ACT), null);
        FutureTask<SegmentShare> renewal = new FutureTask<>(() -> test.store.holdSegments(NAME, ANN, Set.of(), LEASE));
        try (Connection inTheWay = test.dataSource().getConnection();
                Statement statement = inTheWay.createStatement()) {
            inTheWay.setAutoCommit(false);
            statement.execute(
                    "SELECT FROM spream.projection_segments WHERE projection = '%s' FOR UPDATE".formatted(NAME));
            Thread.ofVirtual().name("drop").start(drop);
            test.database().awaitBlocked(1);
            Thread.ofVirtual().name("renewal").start(renewal);
            test.database().awaitBlocked(2);
            inTheWay.rollback();
        }
        drop.get(60, SECONDS);
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> renewal.get(60, SECONDS))
                .withMessageContaining("there is no projection");
    }

    @Test
    void a_drop_leaves_what_others_have_put_into_the_schema() throws Exception {
        replaced();
        test.execute("CREATE TABLE public__balances_v1.backup AS SELECT 1 AS x");
        assertThatIllegalStateException()
                .isThrownBy(() -> rebuilds.drop(NAME, 1, ACT))
                .withMessageContaining("[table public__balances_v1.backup]")
                .withMessageContaining("nothing was changed");
        assertThat(test.rows("SELECT x FROM public__balances_v1.backup")).containsExactly("1");
        assertThat(test.rows("SELECT * FROM public__balances_v1.balances")).isEmpty();
        test.execute("ALTER TABLE public__balances_v1.backup SET SCHEMA public");
        rebuilds.drop(NAME, 1, ACT);
        assertThat(schemas()).isEmpty();
    }

    @Test
    void a_drop_keeps_a_schema_that_it_did_not_create() throws Exception {
        replaced();
        test.execute(
                "DROP SCHEMA public__balances_v1 CASCADE",
                "CREATE SCHEMA public__balances_v1",
                "CREATE TABLE public__balances_v1.balances AS SELECT 1 AS x");
        assertThatIllegalStateException()
                .isThrownBy(() -> rebuilds.drop(NAME, 1, ACT))
                .withMessageContaining("was not created for this version");
        assertThat(test.rows("SELECT x FROM public__balances_v1.balances")).containsExactly("1");
    }

    @Test
    void tables_are_not_moved_to_a_foreign_schema() throws Exception {
        built();
        test.execute("CREATE SCHEMA public__balances_v1");
        assertThatIllegalStateException()
                .isThrownBy(() -> rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT))
                .withMessageContaining("the schema 'public__balances_v1' already exists");
        test.execute("DROP SCHEMA public__balances_v1");
        assertThat(rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT).to()).isEqualTo(2);
    }

    @Test
    void a_version_is_not_built_in_a_schema_that_is_there() throws Exception {
        test.execute("CREATE SCHEMA public__balances_v2");
        ProjectionVersion version = begin(CODE, CODE);
        assertFatal(version, CODE, "rename or drop that schema and resume 'balances@2'", BALANCES);
        test.execute("DROP SCHEMA public__balances_v2");
        prepare(version, CODE, BALANCES);
    }

    private void assertFatal(ProjectionVersion version, ProjectionCode code, String message, String... create) {
        ProjectionException failure =
                catchThrowableOfType(ProjectionException.class, () -> prepare(version, code, create));
        assertThat(failure).as("it was prepared").isNotNull();
        assertThat(failure).hasMessageContaining(message);
        assertThat(failure.kind()).isEqualTo(FailureKind.FATAL);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE FUNCTION norm(x text) RETURNS text LANGUAGE sql AS 'SELECT lower(x)'",
                "CREATE SEQUENCE entry_no",
                "CREATE TYPE level AS ENUM ('low')",
                "CREATE TABLE more (x int)",
                "CREATE VIEW seen AS SELECT * FROM balances"
            })
    @Tag("proof")
    void objects_that_a_cutover_does_not_move_are_not_created(String more) throws Exception {
        ProjectionVersion version = begin(CODE, CODE);
        assertFatal(version, CODE, "a cutover moves only tables", BALANCES, more);
        assertThat(schemas()).isEmpty();
    }

    @Test
    void indexes_and_the_sequences_of_columns_go_along() throws Exception {
        String identity = "ALTER TABLE balances ADD id bigint GENERATED ALWAYS AS IDENTITY, ADD no bigserial";
        prepare(begin(CODE, CODE), CODE, BALANCES, identity, "CREATE INDEX balances_events ON balances (events)");
        rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT);
        assertThat(test.rows("""
                SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('S', 'i') ORDER BY 1"""))
                .containsExactly("balances_events", "balances_id_seq", "balances_no_seq", "balances_pkey");
        assertThat(schemas()).containsExactly("public__balances_v1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DROP TABLE IF EXISTS balances",
                "DROP TABLE public.balances; CREATE TABLE public.balances ()",
                "ALTER TABLE public.balances SET SCHEMA spream"
            })
    void creating_tables_does_not_drop_the_live_ones(String drop) throws Exception {
        ProjectionVersion version = begin(CODE, CODE);
        test.execute("INSERT INTO public.balances VALUES ('a', 1)");
        assertFatal(version, CODE, "create() dropped", drop, BALANCES);
        assertThat(test.balances()).containsExactly("a,1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"DROP TABLE public.others", "ALTER TABLE public.others SET SCHEMA spream"})
    @Tag("proof")
    void concurrent_drops_of_other_objects_do_not_fail_the_creation_of_tables(String drop) throws Exception {
        test.execute("CREATE TABLE public.others (x int)");
        ProjectionVersion version = begin(CODE, CODE);
        test.store.prepare(version, CODE, connection -> {
            test.execute(drop);
            try (Statement statement = connection.createStatement()) {
                statement.execute(BALANCES);
            }
        });
        assertThat(rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT).to()).isEqualTo(2);
    }

    @Test
    @Tag("proof")
    void a_type_that_has_the_name_of_a_table_is_found_before_anything_is_built() throws Exception {
        test.execute("CREATE TYPE public.totals AS ENUM ('low')");
        ProjectionVersion version = begin(CODE, WITH_TOTALS);
        assertFatal(version, WITH_TOTALS, "the schema 'public' has [type totals] already", BALANCES, TOTALS);
        test.execute("DROP TYPE public.totals");
        prepare(version, WITH_TOTALS, BALANCES, TOTALS);
        test.execute("CREATE DOMAIN public.totals AS text");
        assertThatIllegalStateException()
                .isThrownBy(() -> rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT))
                .withMessageContaining("the schema 'public' has [type totals]");
        test.execute("DROP DOMAIN public.totals");
        assertThat(rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT).to()).isEqualTo(2);
    }

    @Test
    @Tag("proof")
    void a_foreign_table_is_found_before_anything_is_built() throws Exception {
        test.execute("CREATE TABLE public.totals (precious text)");
        ProjectionVersion version = begin(CODE, WITH_TOTALS);
        assertFatal(version, WITH_TOTALS, "the live version 1 has declared only [balances]", BALANCES, TOTALS);
        test.execute("ALTER TABLE public.totals RENAME TO precious_totals");
        prepare(version, WITH_TOTALS, BALANCES, TOTALS);
        test.execute("CREATE VIEW public.totals_pkey AS SELECT 1 AS x");
        assertThatIllegalStateException()
                .isThrownBy(() -> rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT))
                .withMessageContaining("the schema 'public' has [totals_pkey]")
                .withMessageContaining("nothing was changed");
        test.execute("DROP VIEW public.totals_pkey");
        assertThat(rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT).to()).isEqualTo(2);
    }

    @Test
    void tables_of_which_the_live_version_has_not_said_that_they_are_its_own_are_not_moved() throws Exception {
        test.execute("CREATE TABLE public.totals (precious text)", "INSERT INTO public.totals VALUES ('x')");
        ProjectionVersion version = begin(ProjectionCode.PLAIN, WITH_TOTALS);
        assertFatal(version, WITH_TOTALS, "has not declared its tables", BALANCES, TOTALS);
        test.store.register(NAME, 1, new ProjectionCode(1, Set.of("balances", "totals"), false));
        prepare(version, WITH_TOTALS, BALANCES, TOTALS);
        test.store.register(NAME, 1, ProjectionCode.PLAIN);
        assertThatIllegalStateException()
                .isThrownBy(() -> rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT))
                .withMessageContaining("the schema 'public' has [balances, totals]")
                .withMessageContaining("run code of revision 1");
        assertThat(test.rows("SELECT * FROM public.totals")).containsExactly("x");
    }

    private List<String> schemas() throws SQLException {
        return test.rows("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'public\\_\\_%'");
    }
}
