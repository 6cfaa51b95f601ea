package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.ACT;
import static dev.spream.storage.jdbc.projection.TestProjections.NAME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.VersionComparison;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.PGConnection;

/** Tests of the tables in a cutover. */
@Timeout(120)
final class CutoverTablesIT {
    private static final ProjectionCode CODE = new ProjectionCode(1, Set.of("balances"), false);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration IMTIMEOUT = Duration.ofSeconds(2);

    private final TestProjections test = new TestProjections();
    private final ProjectionRebuilds rebuilds = test.operations.rebuilds();

    @BeforeEach
    void aVersionThatIsBuilt() throws Exception {
        build(test);
    }

    /** Each version has a row of its own. */
    static void build(TestProjections test) throws Exception {
        test.store.register(NAME, 1, CODE);
        test.operations.rebuilds().rebuild(NAME, OptionalInt.empty(), 0, ACT);
        test.store.prepare(test.store.versions(NAME).getLast(), CODE, connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE balances (key text PRIMARY KEY, events bigint NOT NULL)");
            }
        });
        test.execute("INSERT INTO public.balances VALUES ('old', 1)");
        test.execute("INSERT INTO public__balances_v2.balances VALUES ('new', 1)");
    }

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void privileges_on_a_table_pass_to_its_successor() throws Exception {
        test.execute(
                "DROP ROLE IF EXISTS rebuild_reader",
                "CREATE ROLE rebuild_reader",
                "GRANT SELECT ON public.balances TO rebuild_reader",
                "GRANT UPDATE (events) ON public.balances TO rebuild_reader");
        try {
            rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT);
            assertThat(test.balances()).containsExactly("new,1");
            assertThat(test.rows("""
                            SELECT has_table_privilege('rebuild_reader', 'public.balances', 'SELECT'),
                                has_column_privilege('rebuild_reader', 'public.balances', 'events', 'UPDATE'),
                                has_column_privilege('rebuild_reader', 'public.balances', 'key', 'UPDATE')""")).containsExactly("t,t,f");
        } finally {
            test.execute("DROP OWNED BY rebuild_reader", "DROP ROLE rebuild_reader");
        }
    }

    @Test
    void revoked_privileges_stay_revoked_after_a_rollback() throws Exception {
        test.execute(
                "DROP ROLE IF EXISTS rebuild_reader",
                "CREATE ROLE rebuild_reader",
                "GRANT SELECT ON public.balances TO rebuild_reader",
                "GRANT UPDATE (events) ON public.balances TO rebuild_reader",
                "ALTER TABLE public__balances_v2.balances ADD more text",
                "GRANT SELECT (more) ON public__balances_v2.balances TO rebuild_reader",
                "GRANT DELETE ON public__balances_v2.balances TO rebuild_reader, PUBLIC");
        try {
            rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT);
            assertThat(test.rows("""
                            SELECT has_table_privilege('rebuild_reader', 'public.balances', 'SELECT'),
                                has_table_privilege('rebuild_reader', 'public.balances', 'DELETE')""")).containsExactly("t,f");
            test.execute(
                    "REVOKE SELECT ON public.balances FROM rebuild_reader",
                    "REVOKE UPDATE (events) ON public.balances FROM rebuild_reader",
                    "GRANT SELECT (key) ON public.balances TO rebuild_reader");
            rebuilds.cutOver(NAME, 1, TIMEOUT, Set.of(), ACT);
            assertThat(test.rows("""
                            SELECT has_column_privilege('rebuild_reader', 'public.balances', 'key', 'SELECT'),
                                has_column_privilege('rebuild_reader', 'public.balances', 'events', 'SELECT'),
                                has_column_privilege('rebuild_reader', 'public.balances', 'events', 'UPDATE')""")).containsExactly("t,f,f");
        } finally {
            test.execute("DROP OWNED BY rebuild_reader", "DROP ROLE rebuild_reader");
        }
    }

    @Test
    void privileges_on_a_new_column_are_kept() throws Exception {
        test.execute(
                "DROP ROLE IF EXISTS rebuild_reader",
                "CREATE ROLE rebuild_reader",
                "ALTER TABLE public__balances_v2.balances ADD more text",
                "GRANT SELECT (key, more) ON public__balances_v2.balances TO rebuild_reader");
        try {
            rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT);
            assertThat(test.rows("""
                            SELECT has_column_privilege('rebuild_reader', 'public.balances', 'more', 'SELECT'),
                                has_column_privilege('rebuild_reader', 'public.balances', 'key', 'SELECT')""")).containsExactly("t,f");
        } finally {
            test.execute("DROP OWNED BY rebuild_reader", "DROP ROLE rebuild_reader");
        }
    }

    @Test
    void the_owner_of_the_old_table_may_do_with_the_next_one_what_it_could() throws Exception {
        test.execute(
                "DROP ROLE IF EXISTS rebuild_owner",
                "CREATE ROLE rebuild_owner",
                "ALTER TABLE public.balances OWNER TO rebuild_owner");
        try {
            rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT);
            assertThat(test.rows("""
                            SELECT has_table_privilege('rebuild_owner', 'public.balances', 'SELECT'),
                                has_table_privilege('rebuild_owner', 'public.balances', 'UPDATE')""")).containsExactly("t,t");
        } finally {
            test.execute("DROP OWNED BY rebuild_owner", "DROP ROLE rebuild_owner");
        }
    }

    @Test
    void objects_of_a_live_table_must_exist_on_its_successor() throws Exception {
        test.execute(
                "CREATE FUNCTION public.noted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
                "CREATE FUNCTION public.others() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
                "CREATE PUBLICATION pub FOR TABLE public.balances");
        attach("public");
        assertRefused(
                "balances lacks policy own",
                "balances lacks publication pub",
                "balances lacks replica identity full",
                "balances lacks row security;",
                "balances lacks row security for its owner too",
                "balances lacks rule never",
                "balances lacks trigger noted");
        attach("public__balances_v2");
        assertRefused("balances lacks publication pub;");
        test.execute("ALTER PUBLICATION pub DROP TABLE public.balances");
        test.execute("CREATE POLICY everybody ON public__balances_v2.balances USING (true)");
        assertRefused("balances also has policy everybody");
        test.execute("DROP POLICY everybody ON public__balances_v2.balances");
        test.execute("CREATE OR REPLACE TRIGGER noted AFTER INSERT ON public__balances_v2.balances"
                + " FOR EACH STATEMENT EXECUTE FUNCTION public.others()");
        assertRefused("balances lacks trigger noted");
        test.execute("DROP TRIGGER noted ON public.balances");
        assertThat(rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT).to()).isEqualTo(2);
    }

    private void attach(String schema) {
        String table = schema + ".balances";
        test.execute(
                "ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY, REPLICA IDENTITY FULL"
                        .formatted(table),
                "CREATE POLICY own ON %s FOR SELECT USING (key = current_user)".formatted(table),
                "CREATE TRIGGER noted AFTER INSERT ON %s FOR EACH STATEMENT EXECUTE FUNCTION public.noted()"
                        .formatted(table),
                "CREATE RULE never AS ON DELETE TO %s DO INSTEAD NOTHING".formatted(table));
    }

    private void assertRefused(String... differences) {
        assertThatIllegalStateException()
                .isThrownBy(() -> rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT))
                .withMessageContainingAll(differences)
                .withMessageContaining("nothing was changed");
    }

    @Test
    void a_reader_that_holds_a_table_is_named_and_nothing_is_changed() throws Exception {
        try (Connection reader = test.dataSource().getConnection();
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.execute("SELECT count(*) FROM public.balances");
            assertThatIllegalStateException()
                    .isThrownBy(() -> rebuilds.cutOver(NAME, 2, IMTIMEOUT, Set.of(), ACT))
                    .withMessageContaining("SELECT count(*) FROM public.balances")
                    .withMessageContaining("nothing was changed");
            reader.rollback();
            reader.setAutoCommit(true);
        }
        assertThat(test.balances()).containsExactly("old,1");
        assertThat(rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT).to()).isEqualTo(2);
        assertThat(test.balances()).containsExactly("new,1");
    }

    @Test
    void a_version_that_a_view_reads_is_not_dropped() throws Exception {
        test.execute("CREATE VIEW public.summary AS SELECT sum(events) AS events FROM public.balances");
        rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT);
        assertThatIllegalStateException()
                .isThrownBy(() -> rebuilds.drop(NAME, 1, ACT))
                .withMessageContaining("other database objects depend on its tables");
        assertThat(test.rows("SELECT events FROM public.summary")).containsExactly("1");
        test.execute("DROP VIEW public.summary");
        rebuilds.drop(NAME, 1, ACT);
        assertThat(schemas()).isEmpty();
        assertThat(test.rows("SELECT state FROM spream.projection_versions")).containsExactly("balances@2");
        assertThat(test.rows("SELECT projection_name FROM spream.projection_states"))
                .containsExactly("balances@2");
        assertThat(test.store.register(NAME, 1, CODE).projection()).isEqualTo("balances@2");
    }

    @Test
    void a_rollback_leaves_no_schema_behind_that_nothing_is_in() throws Exception {
        rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT);
        assertThat(schemas()).containsExactly("public__balances_v1");
        rebuilds.cutOver(NAME, 1, TIMEOUT, Set.of(), ACT);
        assertThat(schemas()).containsExactly("public__balances_v2");
        assertThat(test.balances()).containsExactly("old,1");
    }

    @Test
    void rows_and_columns_of_one_version_only_are_differences_and_named() throws Exception {
        test.execute(
                "DELETE FROM public__balances_v2.balances",
                "INSERT INTO public__balances_v2.balances VALUES ('old', 1)",
                "ALTER TABLE public__balances_v2.balances RENAME COLUMN events TO changes");
        assertThat(compare())
                .containsExactly(new VersionComparison.Table("balances", 1, 1, 0, List.of("changes", "events")));
        assertThat(compare("changes").getFirst().oneSided()).containsExactly("events");
        assertThat(compare("changes", "events").getFirst().isEqual()).isTrue();
        test.execute("ALTER TABLE public__balances_v2.balances RENAME COLUMN key TO id");
        assertThat(compare().getFirst().different()).isEqualTo(2);
    }

    @Test
    void tables_that_only_the_live_version_has_differ_though_they_are_empty() throws Exception {
        test.execute("CREATE TABLE public.totals (total bigint)", "DELETE FROM public__balances_v2.balances");
        test.execute("INSERT INTO public__balances_v2.balances VALUES ('old', 1)");
        assertThat(rebuilds.compare(NAME, 2, Set.of(), TIMEOUT).isEqual()).isTrue();
        test.store.register(NAME, 1, new ProjectionCode(1, Set.of("balances", "totals"), false));
        assertThat(compare().getLast()).isEqualTo(new VersionComparison.Table("totals", 0, 0, 0, List.of("*")));
        assertThat(rebuilds.compare(NAME, 2, Set.of(), TIMEOUT).isEqual()).isFalse();
    }

    @Test
    void columns_that_are_not_there_and_all_columns_are_not_ignored() {
        assertThatIllegalStateException()
                .isThrownBy(() -> compare("updated_at"))
                .withMessageContaining("[updated_at]")
                .withMessageContaining("nothing was compared");
        assertThatIllegalStateException()
                .isThrownBy(() -> compare("key", "events"))
                .withMessageContaining("all columns that both versions of table 'balances' have");
    }

    @Test
    void an_exclusive_lock_on_a_table_is_named_and_nothing_is_compared() throws Exception {
        try (Connection other = test.dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("LOCK TABLE public__balances_v2.balances IN ACCESS EXCLUSIVE MODE");
            assertThatIllegalStateException()
                    .isThrownBy(() -> rebuilds.compare(NAME, 2, Set.of(), IMTIMEOUT))
                    .withMessageContaining("session %d"
                            .formatted(other.unwrap(PGConnection.class).getBackendPID()))
                    .withMessageContaining("holds public__balances_v2.balances")
                    .withMessageContaining("nothing was compared");
            other.rollback();
            other.setAutoCommit(true);
        }
        assertThat(compare()).hasSize(1);
    }

    private List<VersionComparison.Table> compare(String... ignored) {
        return rebuilds.compare(NAME, 2, Set.of(ignored), TIMEOUT).tables();
    }

    private List<String> schemas() throws Exception {
        return test.rows("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'public\\_\\_%'");
    }
}
