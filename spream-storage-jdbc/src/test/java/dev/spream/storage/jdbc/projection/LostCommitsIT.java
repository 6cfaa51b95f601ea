package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.NAME;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Commits whose answers are lost while the server is still at them: what comes next waits for how they end, so that no event is
 * applied twice, and none is missing.
 */
@Timeout(120)
final class LostCommitsIT {
    private static final long COMMITS = 4711; // commits wait for the holder of this advisory lock
    private static final int EVENTS = 8;
    private static final int LOST = 2;

    private final TestProjections test = new TestProjections();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicBoolean applied = new AtomicBoolean(); // in the transaction of the only segment
    private final AtomicInteger toLose = new AtomicInteger(LOST);
    private final CopyOnWriteArrayList<Future<?>> unanswered = new CopyOnWriteArrayList<>();

    @BeforeEach
    void haveCommitsWait() {
        test.execute("""
                CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN PERFORM pg_advisory_xact_lock_shared(%d); RETURN NULL; END'""".formatted(COMMITS), """
                CREATE CONSTRAINT TRIGGER wait AFTER INSERT OR UPDATE ON public.balances DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION public.wait()""");
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        test.close();
    }

    @Test
    void a_batch_whose_commit_response_was_lost_is_not_applied_again() throws Exception {
        try (JdbcEventStore events = JdbcEventStore.create(test.dataSource());
                JdbcProjectionStore store = JdbcProjectionStore.create(lossy(test.dataSource()));
                ProjectionManager<Connection> manager = ProjectionManager.builder(store)
                        .options(ProjectionOptions.DEFAULTS.withSegments(1))
                        .add(new Counted(), events.source())
                        .build()) {
            threads.submit(manager::run);
            try (Connection holder = test.dataSource().getConnection();
                    Statement statement = holder.createStatement()) {
                statement.execute("SELECT pg_advisory_lock(%d)".formatted(COMMITS));
                append(events, 1, EVENTS / 2);
                await("SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = %d"
                        .formatted(COMMITS));
                append(events, EVENTS / 2 + 1, EVENTS);
                await("""
                        SELECT count(*) > 1 FROM pg_locks WHERE NOT granted"""); // another batch
                statement.execute("SELECT pg_advisory_unlock(%d)".formatted(COMMITS));
            }
            await("SELECT position = %d FROM spream.projection_segments".formatted(EVENTS));
        }
        for (Future<?> commit : unanswered) {
            commit.get(60, SECONDS);
        }
        assertThat(unanswered).hasSize(LOST);
        assertThat(test.balances()).containsExactly("a," + EVENTS);
        assertThat(test.rows("SELECT last_version, parked FROM spream.projection_keys"))
                .containsExactly(EVENTS + ",f");
    }

    private static void append(JdbcEventStore events, int from, int to) {
        events.append(
                "a",
                ExpectedVersion.exactly(from - 1),
                IntStream.rangeClosed(from, to)
                        .mapToObj(version -> new NewEvent(
                                "a/" + version,
                                "Happened",
                                "{}",
                                Instant.parse("2026-01-01T00:00:00Z"),
                                new EventMetadata("", "", "", Optional.empty())))
                        .toList());
    }

    private void await(String condition) throws SQLException, InterruptedException {
        while (!test.rows(condition).equals(List.of("t"))) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private final class Counted implements Projection<Connection> {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public void apply(Connection transaction, EventEnvelope event) throws SQLException {
            TestProjections.add(transaction, event.aggregateId());
            applied.set(true);
        }
    }

    /** Loses the answers of the first commits that have effects. */
    private DataSource lossy(DataSource real) {
        return proxy(DataSource.class, (method, arguments) -> {
            Object result = method.invoke(real, arguments);
            return method.getName().equals("getConnection") ? lossy((Connection) result) : result;
        });
    }

    private Connection lossy(Connection real) {
        AtomicBoolean broken = new AtomicBoolean();
        return proxy(Connection.class, (method, arguments) -> {
            if (broken.get()) {
                return switch (method.getName()) {
                    case "isClosed" -> true;
                    case "close" -> null;
                    default -> throw new SQLException("the connection is broken", "08006");
                };
            }
            Object result = method.invoke(real, arguments);
            return result instanceof PreparedStatement statement && ((String) arguments[0]).endsWith("COMMIT")
                    ? lossy(statement, real, broken)
                    : result;
        });
    }

    /** A last round trip, which commits. */
    private PreparedStatement lossy(PreparedStatement real, Connection connection, AtomicBoolean broken) {
        return proxy(PreparedStatement.class, (method, arguments) -> {
            if (method.getName().equals("execute") && applied.getAndSet(false) && toLose.getAndDecrement() > 0) {
                broken.set(true);
                unanswered.add(threads.submit(() -> {
                    try (connection;
                            real) {
                        real.execute();
                    }
                    return null;
                }));
                throw new SQLException("the answer was lost", "08006");
            }
            return broken.get() && method.getName().equals("close") ? null : method.invoke(real, arguments);
        });
    }

    private interface Call {
        @Nullable
        Object of(Method method, Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    try {
                        return call.of(method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                }));
    }
}
