package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.ACT;
import static dev.spream.storage.jdbc.projection.TestProjections.ANN;
import static dev.spream.storage.jdbc.projection.TestProjections.LEASE;
import static dev.spream.storage.jdbc.projection.TestProjections.NAME;
import static dev.spream.storage.jdbc.projection.TestProjections.POISON;
import static dev.spream.storage.jdbc.projection.TestProjections.events;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.spream.core.StorageException;
import dev.spream.projection.CutoverReport;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.testkit.event.Threads;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the processes that a cutover stops and resumes. */
@Timeout(120)
final class CutoverStopsIT {
    private static final Duration SHORT_TIMEOUT = Duration.ofMillis(500);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static final String WAITING_FOR_SNAPSHOTS = """
            SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep(0.02)'""";

    /** That of the cut-over, and those of both versions. */
    private static final String BOTH_STAND_STILL = """
            SELECT count(*) >= 3 FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())""";

    private static final String BLOCKED_SESSIONS = """
            SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())""";

    private final TestProjections test = new TestProjections();
    private final ProjectionRebuilds rebuilds = test.operations.rebuilds();
    private final Threads threads = new Threads();

    @BeforeEach
    void aVersionThatIsBuilt() throws Exception {
        CutoverTablesIT.build(test);
    }

    @AfterEach
    void close() {
        threads.close();
        test.close();
    }

    @Test
    void a_projection_that_is_paused_while_readers_are_waited_for_stays_paused() throws Exception {
        assertNotMadeLive("projection 'balances' is PAUSED", () -> test.operations.pause(NAME, ACT));
        assertThat(statuses()).containsExactly("1,LIVE,PAUSED", "2,CANDIDATE,REBUILDING");
    }

    @Test
    void a_version_that_fails_while_readers_are_waited_for_is_not_made_live() throws Exception {
        Fence fence = held("balances@2");
        long epoch = test.store.state("balances@2").orElseThrow().epoch();
        assertNotMadeLive(
                "it is FAILED: fix its last failure (no such column), resume 'balances@2'",
                () -> test.store.fail(fence, epoch, "no such column"));
        assertThat(statuses()).containsExactly("1,LIVE,RUNNING", "2,CANDIDATE,FAILED");
    }

    /** Asserts that the version is not made live while a reader still uses an old snapshot. */
    private void assertNotMadeLive(String why, Callable<Boolean> stop) throws Exception {
        try (Connection reader = test.dataSource().getConnection();
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            statement.execute("SELECT 1");
            test.execute("INSERT INTO public__balances_v2.balances VALUES ('late', 1)");
            Future<CutoverReport> cutOver = threads.start(this::cutOver);
            await(cutOver, WAITING_FOR_SNAPSHOTS);
            assertThat(stop.call()).isTrue();
            assertThat(cutOver)
                    .failsWithin(TIMEOUT.dividedBy(2))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(IllegalStateException.class)
                    .withMessageContainingAll(why, "nothing was changed");
            reader.rollback();
            reader.setAutoCommit(true);
        }
        assertThat(test.balances()).containsExactly("old,1");
    }

    @Test
    void a_pause_that_waits_for_a_cut_over_pauses_what_is_live_afterwards() throws Exception {
        assertThat(inTheMoment(() -> test.operations.pause(NAME, ACT))).isTrue();
        assertThat(statuses()).containsExactly("1,RETIRED,REBUILDING", "2,LIVE,PAUSED");
        assertThat(test.rows("SELECT projection FROM spream.projection_audit WHERE action = 'pause'"))
                .containsExactly("balances@2");
    }

    @Test
    void a_retry_during_a_cutover_affects_the_version_that_is_live_afterwards() throws Exception {
        test.park(held(NAME), "a", POISON, events("a", 1, 1));
        test.park(held("balances@2"), "a", POISON, events("a", 1, 1));
        assertThat(inTheMoment(() -> test.operations.retry(NAME, Optional.empty(), ACT)))
                .isEqualTo(1);
        assertThat(inTheMoment(1, () -> test.operations.skip(NAME, "a", 1, ACT)))
                .isTrue();
        assertThat(test.rows("SELECT action, projection FROM spream.projection_audit ORDER BY id"))
                .containsExactly(
                        "rebuild,balances",
                        "cutover,balances",
                        "retry,balances@2",
                        "rollback,balances",
                        "skip,balances");
    }

    @Test
    void a_resume_during_a_cutover_affects_the_version_that_is_live_afterwards() throws Exception {
        Fence live = held(NAME);
        test.store.fail(live, test.store.state(NAME).orElseThrow().epoch(), "an index is gone");
        assertThat(inTheMoment(() -> test.operations.resume(NAME, ACT)))
                .as("the live version has not failed")
                .isFalse();
        assertThat(statuses()).containsExactly("1,RETIRED,FAILED", "2,LIVE,RUNNING");
        assertThat(test.operations.resume("balances@1", ACT)).isTrue();
        assertThat(statuses()).containsExactly("1,RETIRED,REBUILDING", "2,LIVE,RUNNING");
    }

    @Test
    void a_retired_version_that_runs_follows_as_well() throws Exception {
        cutOver();
        test.execute("UPDATE spream.projection_states SET status = 'RUNNING' WHERE projection_name = 'balances'");
        assertThat(rebuilds.cutOver(NAME, 1, TIMEOUT, Set.of(), ACT).to()).isEqualTo(1);
        assertThat(statuses()).containsExactly("1,LIVE,RUNNING", "2,RETIRED,REBUILDING");
    }

    @Test
    void an_operation_that_times_out_behind_a_cutover_names_it() throws Exception {
        try (JdbcProjectionOperations impatient = JdbcProjectionOperations.builder(test.dataSource())
                .statementTimeout(Duration.ofSeconds(3))
                .build()) {
            whileBothStandStill(
                    2,
                    () -> assertThatExceptionOfType(StorageException.class)
                            .isThrownBy(() -> impatient.resume(NAME, ACT))
                            .withMessageContainingAll(
                                    "resuming projection 'balances' failed: it is quiesced, for a cutover",
                                    "nothing was changed")
                            .matches(StorageException::retryable));
        }
    }

    @Test
    void a_lagging_segment_without_a_running_process_is_reported() throws Exception {
        test.execute("UPDATE spream.projection_segments SET position = 5 WHERE projection = 'balances'");
        assertThatIllegalStateException()
                .isThrownBy(() -> rebuilds.cutOver(NAME, 2, SHORT_TIMEOUT, Set.of(), ACT))
                .withMessageContaining(
                        "segment 0 is 5 positions behind, and no process works on it: run the projection with code of revision 1");
        held("balances@2");
        assertThatIllegalStateException()
                .isThrownBy(() -> rebuilds.cutOver(NAME, 2, SHORT_TIMEOUT, Set.of(), ACT))
                .withMessageContaining("segment 0 is 5 positions behind, and is catching up; try again later");
    }

    @Test
    void a_lost_commit_response_is_reported_as_possibly_committed() throws Exception {
        AtomicBoolean losing = new AtomicBoolean();
        try (JdbcProjectionOperations operator =
                JdbcProjectionOperations.create(losingCommits(test.dataSource(), losing))) {
            losing.set(true);
            assertThatExceptionOfType(StorageException.class)
                    .isThrownBy(() -> operator.rebuilds().cutOver(NAME, 2, TIMEOUT, Set.of(), ACT))
                    .withMessageContainingAll(
                            "cutting projection 'balances' over to version 2 failed",
                            "it may have taken effect: check which version is live ('projection show balances')");
        }
        assertThat(statuses()).containsExactly("1,RETIRED,REBUILDING", "2,LIVE,RUNNING");
    }

    private static DataSource losingCommits(DataSource real, AtomicBoolean losing) {
        return proxy(DataSource.class, real, losing);
    }

    private static <T> T proxy(Class<T> type, Object real, AtomicBoolean losing) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    Object result;
                    try {
                        result = method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                    if (method.getName().equals("commit") && losing.getAndSet(false)) {
                        throw new SQLException("the answer was lost", "08006");
                    }
                    return result instanceof Connection connection
                                    && !method.getName().equals("unwrap")
                            ? proxy(Connection.class, connection, losing)
                            : result;
                }));
    }

    private <V> V inTheMoment(Callable<V> act) throws Exception {
        return inTheMoment(2, act);
    }

    /** Returns the result of an act that begins while both versions are held, and waits until the other is live. */
    private <V> V inTheMoment(int version, Callable<V> act) throws Exception {
        AtomicReference<@Nullable Future<V>> acting = new AtomicReference<>();
        whileBothStandStill(version, () -> {
            Future<V> waiting = threads.start(act);
            await(waiting, BLOCKED_SESSIONS);
            acting.set(waiting);
        });
        return Threads.resultOf(requireNonNull(acting.get()));
    }

    private interface Doing {
        void run() throws Exception;
    }

    /** Runs the action while another session holds a lock on the table. */
    private void whileBothStandStill(int version, Doing doing) throws Exception {
        Future<CutoverReport> cutOver;
        try (Connection reader = test.dataSource().getConnection();
                Statement statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.execute("LOCK TABLE public.balances IN ACCESS SHARE MODE");
            cutOver = threads.start(
                    () -> rebuilds.cutOver(NAME, version, TIMEOUT, Set.of(CutoverReport.Loss.PARKED), ACT));
            await(cutOver, BOTH_STAND_STILL);
            doing.run();
            reader.rollback();
            reader.setAutoCommit(true);
        }
        assertThat(Threads.resultOf(cutOver).to()).isEqualTo(version);
    }

    private CutoverReport cutOver() {
        return rebuilds.cutOver(NAME, 2, TIMEOUT, Set.of(), ACT);
    }

    private Fence held(String state) {
        return new Fence.Segment(
                state,
                ANN,
                0,
                test.store
                        .holdSegments(state, ANN, Set.of(), LEASE)
                        .held()
                        .getFirst()
                        .epoch());
    }

    private List<String> statuses() throws SQLException {
        return test.rows("""
                SELECT v.version, v.role, p.status FROM spream.projection_versions v
                JOIN spream.projection_states p ON p.projection_name = v.state ORDER BY v.version""");
    }

    private void await(Future<?> running, String condition) throws SQLException, InterruptedException {
        while (!test.rows(condition).equals(List.of("t"))) {
            assertThat(running).isNotDone();
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }
}
