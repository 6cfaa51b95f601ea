package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.ACT;
import static dev.spream.storage.jdbc.projection.TestProjections.NAME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.spream.core.projection.ProjectionCode;
import dev.spream.core.projection.ProjectionRebuilds;
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

/** What becomes of tables when versions are exchanged. */
@Timeout(120)
final class CutOverTablesIT {
    private static final ProjectionCode CODE = new ProjectionCode(1, Set.of("balances"), false);
    private static final Duration PATIENCE = Duration.ofMillis(500);

    private final TestProjections test = new TestProjections();
    private final ProjectionRebuilds rebuilds = test.operations.rebuilds();

    @BeforeEach
    void aVersionThatIsBuilt() throws Exception {
        test.store.register(NAME, 1, CODE);
        rebuilds.rebuild(NAME, OptionalInt.empty(), 0, ACT);
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
    void what_others_may_do_with_a_table_they_may_do_with_the_next_one() throws Exception {
        test.execute(
                "DROP ROLE IF EXISTS rebuild_reader",
                "CREATE ROLE rebuild_reader",
                "GRANT SELECT ON public.balances TO rebuild_reader",
                "GRANT UPDATE (events) ON public.balances TO rebuild_reader");
        try {
            rebuilds.cutOver(NAME, 2, PATIENCE, false, ACT);
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
    void a_reader_that_holds_a_table_is_named_and_nothing_is_changed() throws Exception {
        try (Connection reader = test.dataSource().getConnection();
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.execute("SELECT count(*) FROM public.balances");
            assertThatIllegalStateException()
                    .isThrownBy(() -> rebuilds.cutOver(NAME, 2, PATIENCE, false, ACT))
                    .withMessageContaining("SELECT count(*) FROM public.balances")
                    .withMessageContaining("everything goes on as before");
            reader.rollback();
            reader.setAutoCommit(true);
        }
        assertThat(test.balances()).containsExactly("old,1");
        assertThat(rebuilds.cutOver(NAME, 2, PATIENCE, false, ACT).to()).isEqualTo(2);
        assertThat(test.balances()).containsExactly("new,1");
    }

    @Test
    void a_version_that_a_view_reads_is_not_dropped() throws Exception {
        test.execute("CREATE VIEW public.summary AS SELECT sum(events) AS events FROM public.balances");
        rebuilds.cutOver(NAME, 2, PATIENCE, false, ACT);
        assertThatIllegalStateException()
                .isThrownBy(() -> rebuilds.drop(NAME, 1, ACT))
                .withMessageContaining("something depends on its tables");
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
        rebuilds.cutOver(NAME, 2, PATIENCE, false, ACT);
        assertThat(schemas()).containsExactly("public__balances_v1");
        rebuilds.cutOver(NAME, 1, PATIENCE, false, ACT);
        assertThat(schemas()).containsExactly("public__balances_v2");
        assertThat(test.balances()).containsExactly("old,1");
    }

    private List<String> schemas() throws Exception {
        return test.rows("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'public\\_\\_%'");
    }
}
