package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.ANN;
import static dev.spream.storage.jdbc.projection.TestProjections.NOTHING;
import static dev.spream.storage.jdbc.projection.TestProjections.event;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.spream.core.StorageException;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** Tests of the classification of real server errors in a projection, and of the use of the connection by a projection. */
@Timeout(120)
final class FailureKindIT {
    private final TestProjections test = new TestProjections();
    private final Fence.Segment fence = test.held(ANN);

    @AfterEach
    void close() {
        test.close();
    }

    /** The work of a projection. */
    interface Body {
        void run(Connection connection) throws Exception;
    }

    private Exception failureOf(Body body) {
        return catchException(() -> test.store.apply(fence, Set.of("a"), (connection, states) -> {
            TestProjections.add(connection, "a");
            body.run(connection);
            return NOTHING;
        }));
    }

    @Test
    void a_connection_that_an_error_of_the_jvm_went_through_is_ended() throws Exception {
        int[] backend = new int[1];
        StackOverflowError overflow = new StackOverflowError();
        assertThatThrownBy(() -> test.store.apply(fence, Set.of("a"), (connection, states) -> {
                    backend[0] = connection.unwrap(PGConnection.class).getBackendPID();
                    throw overflow;
                }))
                .isSameAs(overflow);
        String there = "SELECT pid FROM pg_stat_activity WHERE pid = " + backend[0];
        long deadline = System.nanoTime() + SECONDS.toNanos(30);
        while (!test.rows(there).isEmpty()) {
            assertThat(System.nanoTime()).as("time to end").isLessThan(deadline);
            LockSupport.parkNanos(5_000_000);
        }
        assertThat(test.apply(fence, event("a", 1))).isTrue();
    }

    static Stream<Arguments> statements() {
        return Stream.of(
                arguments(FailureKind.POISON, "INSERT INTO balances VALUES ('a', 1)", "23505"),
                arguments(FailureKind.POISON, "INSERT INTO balances VALUES ('b', NULL)", "23502"),
                arguments(FailureKind.POISON, "SELECT 1 / 0", "22012"),
                arguments(FailureKind.POISON, "SELECT 'x'::int", "22P02"),
                arguments(FailureKind.POISON, "DO $$ BEGIN RAISE EXCEPTION 'no'; END $$", "P0001"),
                arguments(FailureKind.FATAL, "SELECT FROM missing", "42P01"),
                arguments(FailureKind.FATAL, "SELECT missing FROM balances", "42703"),
                arguments(FailureKind.FATAL, "SELEC", "42601"),
                arguments(FailureKind.FATAL, "SET ROLE nobody; SELECT FROM balances", "42501"),
                arguments(FailureKind.FATAL, "CREATE TABLE missing.t ()", "3F000"),
                arguments(FailureKind.TRANSIENT, "SET LOCAL statement_timeout = 10; SELECT pg_sleep(30)", "57014"),
                arguments(FailureKind.TRANSIENT, "SELECT pg_terminate_backend(pg_backend_pid())", "57P01"),
                arguments(FailureKind.CONFLICT, "DO $$ BEGIN RAISE SQLSTATE '40001'; END $$", "40001"),
                arguments(FailureKind.TRANSIENT, "SET TRANSACTION READ ONLY; DELETE FROM balances", "25006"));
    }

    @ParameterizedTest
    @MethodSource("statements")
    void an_error_of_a_statement_means_what_its_state_says(FailureKind kind, String sql, String state) {
        test.execute("DO $$ BEGIN CREATE ROLE nobody; EXCEPTION WHEN duplicate_object THEN END $$");
        Exception failure = failureOf(connection -> execute(connection, "SET LOCAL search_path = public", sql));
        assertThat(failure)
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(state));
        assertThat(test.store.failureKind(failure)).isEqualTo(kind);
        assertThat(test.store.failureKind(new IllegalStateException("a mapper's own", failure)))
                .isEqualTo(kind);
    }

    @Test
    void a_deadlock_between_two_projections_is_a_conflict() throws Exception {
        test.execute("INSERT INTO public.balances VALUES ('x', 0), ('y', 0)");
        CyclicBarrier both = new CyclicBarrier(2);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> other = threads.submit(() -> lockBoth("y", "x", both));
            Exception failure = failureOf(connection -> lockBoth(connection, "x", "y", both));
            Exception others = catchException(() -> other.get(60, SECONDS));
            Exception victim = failure == null
                    ? (Exception) requireNonNull(requireNonNull(others).getCause())
                    : failure;
            assertThat(victim)
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40P01"));
            assertThat(test.store.failureKind(victim)).isEqualTo(FailureKind.CONFLICT);
        }
    }

    @Test
    void a_conflict_that_the_commit_meets_is_one_as_well() {
        test.execute("""
                CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE SQLSTATE '40P01'; END $$""", """
                CREATE CONSTRAINT TRIGGER refused AFTER INSERT ON public.balances DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION public.refuse()""");
        Exception failure = failureOf(connection -> {});
        assertThat(failure).isInstanceOf(StorageException.class);
        assertThat(test.store.failureKind(failure)).isEqualTo(FailureKind.CONFLICT);
    }

    private Void lockBoth(String first, String second, CyclicBarrier both) throws Exception {
        try (Connection connection = test.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            lockBoth(connection, first, second, both);
            connection.rollback();
            return null;
        }
    }

    private static void lockBoth(Connection connection, String first, String second, CyclicBarrier both)
            throws Exception {
        TestProjections.add(connection, first);
        both.await(60, SECONDS);
        TestProjections.add(connection, second);
    }

    @Test
    void a_lock_that_could_not_be_had_is_transient() throws Exception {
        try (Connection holder = test.dataSource().getConnection()) {
            holder.setAutoCommit(false);
            execute(holder, "LOCK TABLE public.balances");
            Exception failure = catchException(() -> test.store.apply(fence, Set.of("a"), (connection, states) -> {
                execute(connection, "SET LOCAL lock_timeout = 10");
                TestProjections.add(connection, "a");
                return NOTHING;
            }));
            assertThat(((SQLException) failure).getSQLState()).isEqualTo("55P03");
            assertThat(test.store.failureKind(failure)).isEqualTo(FailureKind.TRANSIENT);
            holder.rollback();
        }
    }

    @Test
    void a_plan_that_an_altered_table_made_stale_is_transient() throws Exception {
        test.execute("CREATE TABLE public.altered (a int)");
        Exception failure = failureOf(connection -> execute(
                connection,
                "PREPARE kept AS SELECT * FROM public.altered",
                "EXECUTE kept",
                "ALTER TABLE public.altered ADD COLUMN b int",
                "EXECUTE kept"));
        assertThat(((SQLException) failure).getSQLState()).isEqualTo("0A000");
        assertThat(test.store.failureKind(failure)).isEqualTo(FailureKind.TRANSIENT);
    }

    @Test
    void a_constraint_that_is_checked_at_the_commit_is_poison_and_undoes_the_batch() throws Exception {
        test.execute("""
                CREATE TABLE public.items (id int PRIMARY KEY,
                    parent int REFERENCES public.items DEFERRABLE INITIALLY DEFERRED)""");
        Exception failure = failureOf(connection -> execute(connection, "INSERT INTO public.items VALUES (1, 2)"));
        assertThat(failure)
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.retryable()).isFalse());
        assertThat(test.store.failureKind(failure)).isEqualTo(FailureKind.POISON);
        assertThat(test.balances()).isEmpty();
    }

    @Test
    void a_connection_that_ends_before_the_commit_is_retryable_and_leaves_nothing() throws Exception {
        Exception failure = failureOf(connection -> test.execute("SELECT pg_terminate_backend(%d)"
                .formatted(connection.unwrap(PGConnection.class).getBackendPID())));
        assertThat(failure)
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.retryable()).isTrue());
        assertThat(test.store.failureKind(failure)).isEqualTo(FailureKind.TRANSIENT);
        assertThat(test.balances()).isEmpty();
        assertThat(test.apply(fence, event("a", 1))).isTrue();
    }

    @Test
    void failures_that_are_none_of_the_servers_are_judged_by_what_they_are() {
        assertThat(test.store.failureKind(
                        new ProjectionException(FailureKind.FATAL, "no", new SQLException("x", "40001"))))
                .isEqualTo(FailureKind.FATAL);
        assertThat(test.store.failureKind(new StorageException("no", true, null)))
                .isEqualTo(FailureKind.TRANSIENT);
        assertThat(test.store.failureKind(new StorageException("no", false, null)))
                .isEqualTo(FailureKind.POISON);
        assertThat(test.store.failureKind(new InterruptedException())).isEqualTo(FailureKind.TRANSIENT);
        assertThat(test.store.failureKind(new SQLException("without a state"))).isEqualTo(FailureKind.POISON);
        assertThat(test.store.failureKind(new IllegalStateException("no"))).isEqualTo(FailureKind.POISON);
    }

    static Stream<Arguments> endings() {
        return Stream.of(
                arguments("commit", (Body) Connection::commit),
                arguments("rollback", (Body) Connection::rollback),
                arguments("close", (Body) Connection::close),
                arguments("setAutoCommit", (Body) connection -> connection.setAutoCommit(true)),
                arguments("abort", (Body) connection -> connection.abort(Runnable::run)),
                arguments("commit", (Body) connection -> {
                    try (Statement statement = connection.createStatement()) {
                        statement.getConnection().commit();
                    }
                }));
    }

    @ParameterizedTest
    @MethodSource("endings")
    void a_projection_that_would_end_the_transaction_fails_for_good(String name, Body ending) throws Exception {
        Exception failure = failureOf(ending);
        assertThat(failure).hasMessageContaining(name + "()");
        assertThat(test.store.failureKind(failure)).isEqualTo(FailureKind.FATAL);
        assertThat(test.balances()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"COMMIT", "COMMIT AND CHAIN", "ROLLBACK", "ROLLBACK AND CHAIN"})
    void a_projection_that_ends_the_transaction_by_a_statement_fails_for_good(String ending) throws Exception {
        requireFatal(failureOf(connection -> execute(connection, ending)));
        requireFatal(failureOf(connection -> {
            execute(connection, ending);
            throw new IllegalStateException("after it");
        }));
        assertThat(test.rows("SELECT * FROM spream.projection_keys")).isEmpty();
    }

    private void requireFatal(Exception failure) {
        assertThat(failure).isInstanceOf(StorageException.class).hasMessageContaining("ended its transaction");
        assertThat(test.store.failureKind(failure)).isEqualTo(FailureKind.FATAL);
    }

    private static void passOverAnError(Connection connection) {
        assertThatThrownBy(() -> execute(connection, "SELECT 1 / 0")).isInstanceOf(SQLException.class);
    }

    @Test
    void continuing_after_an_error_is_poison_unless_a_savepoint_was_restored() throws Exception {
        Exception failure = failureOf(FailureKindIT::passOverAnError);
        assertThat(failure).hasMessageContaining("continued after an error");
        assertThat(test.store.failureKind(failure)).isEqualTo(FailureKind.POISON);
        assertThat(test.balances()).isEmpty();

        assertThat(failureOf(connection -> {
                    Savepoint savepoint = connection.setSavepoint();
                    passOverAnError(connection);
                    connection.rollback(savepoint);
                }))
                .isNull();
        assertThat(test.balances()).containsExactly("a,1");
    }

    @Test
    void a_projection_that_keeps_its_connection_can_do_nothing_with_it() {
        Connection[] kept = new Connection[1];
        assertThat(failureOf(connection -> kept[0] = connection)).isNull();
        Exception failure = catchException(() -> kept[0].createStatement());
        assertThat(failure).hasMessageContaining("has ended");
        assertThat(kept[0]).isEqualTo(kept[0]).hasToString("a connection for a projection");
    }

    private static void execute(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
