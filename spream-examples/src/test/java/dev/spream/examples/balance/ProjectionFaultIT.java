package dev.spream.examples.balance;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.examples.fault.Await;
import dev.spream.examples.fault.CuttingProxy;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.servers.PostgresDatabase;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionOperations;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * Several services run two read models during continuous appends, with some events that cannot be applied, and with
 * faults of every kind: services are killed with {@code kill -9}, and stopped for longer than their lease and
 * continued; connections are ended, and the responses to commits are lost; projections are paused and resumed. At the
 * end an operator skips the events that cannot be applied, and both read models equal the events, row by row.
 *
 * <p>Each fault happens at least once; {@code -Dprojection.fault-seconds=120} runs for that long, with more events, and
 * {@code -Dprojection.seed=…} repeats the random choices.
 */
final class ProjectionFaultIT {
    private static final Duration DURATION = Duration.ofSeconds(Integer.getInteger("projection.fault-seconds", 0));
    private static final long SEED = Long.getLong("projection.seed", System.nanoTime() % 1_000_000);
    private static final List<String> PROJECTIONS = List.of("account_balances", "account_statements");
    private static final int SERVICES = 2;
    private static final int WRITERS = 3;
    private static final int EVENTS = 500;
    private static final int LEASE_SECONDS = 2;
    private static final int LOSS_EVERY = 75;
    private static final Duration PACE = Duration.ofMillis(DURATION.isZero() ? 40 : 5);
    private static final Duration STEP = Duration.ofMillis(700);
    private static final Duration STOP = Duration.ofSeconds(LEASE_SECONDS * 3L / 2);
    private static final Duration TIMEOUT = Duration.ofSeconds(90);
    private static final Act ACT = new Act("on-call", "looked at the event");

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final Map<String, Integer> faults = new TreeMap<>();
    private final List<String> turns = new ArrayList<>(List.of("stop", "cut", "pause", "kill"));
    private int skipped;

    @Test
    void read_models_are_what_the_events_say_whatever_breaks() throws Exception {
        PostgresDatabase postgres = PostgresDatabase.create();
        try (HikariDataSource database = pool(postgres);
                CuttingProxy proxy = CuttingProxy.before(postgres.port());
                JdbcEventStore events = JdbcEventStore.create(database);
                ProjectionOperations operations = JdbcProjectionOperations.create(database);
                BalanceFleet fleet = new BalanceFleet(
                        Path.of("target", "balance-services"), BalanceService.class, arguments(postgres, proxy))) {
            BalanceJudge judge = new BalanceJudge(database);
            fleet.complete(SERVICES);
            try (MovementFlood flood = new MovementFlood(events, WRITERS, PACE, random.split())) {
                proxy.lose(LOSS_EVERY);
                long end = System.nanoTime() + DURATION.toNanos();
                while (System.nanoTime() - end < 0
                        || flood.appended() < EVENTS
                        || faults.size() < turns.size()
                        || judge.poisonous() == 0
                        || proxy.lostCommits() == 0) {
                    breakSomething(fleet, judge, operations);
                    fleet.requireAlive();
                }
                proxy.lose(0);
                flood.stop();
                awaitEnd(fleet, judge, operations);
                fleet.terminate();
                report(flood, judge, proxy);
                assertThat(judge.differences())
                        .as("differences with seed %d", SEED)
                        .isEmpty();
                assertThat(proxy.lostCommits())
                        .as("commits whose answers were lost")
                        .isPositive();
                assertThat(skipped)
                        .as("poisonous events that were skipped, of each projection")
                        .isEqualTo(Math.toIntExact(judge.poisonous() * PROJECTIONS.size()));
            }
        }
    }

    private void breakSomething(BalanceFleet fleet, BalanceJudge judge, ProjectionOperations operations)
            throws Exception {
        fleet.complete(SERVICES);
        String turn = turns.getFirst();
        Collections.rotate(turns, -1);
        faults.merge(turn, 1, Integer::sum);
        switch (turn) {
            case "kill" -> fleet.kill(fleet.any(random));
            case "stop" -> {
                Process victim = fleet.any(random);
                fleet.signal("STOP", victim);
                LockSupport.parkNanos(STOP.toNanos());
                fleet.signal("CONT", victim);
            }
            case "cut" -> judge.cutConnections();
            default -> {
                String projection = PROJECTIONS.get(random.nextInt(PROJECTIONS.size()));
                assertThat(operations.pause(projection, ACT)).isTrue();
                LockSupport.parkNanos(STEP.toNanos());
                assertThat(operations.resume(projection, ACT)).isTrue();
            }
        }
        LockSupport.parkNanos(STEP.toNanos());
    }

    /** Skips what cannot be applied, as it shows, until everything else is. */
    private void awaitEnd(BalanceFleet fleet, BalanceJudge judge, ProjectionOperations operations) throws Exception {
        Await.until(
                TIMEOUT,
                () -> {
                    fleet.requireAlive();
                    PROJECTIONS.forEach(projection -> skipPoison(operations, projection));
                    return judge.left().isEmpty();
                },
                () -> "not caught up with seed %d: %s; parked: %s"
                        .formatted(SEED, judge.left(), operations.parked(PROJECTIONS.getFirst(), 10)));
    }

    private void skipPoison(ProjectionOperations operations, String projection) {
        for (ParkedAggregate key : operations.parked(projection, 1_000)) {
            if (key.nextTry().isEmpty() && operations.skip(projection, key.key(), key.firstVersion(), ACT)) {
                skipped++;
            }
        }
    }

    private void report(MovementFlood flood, BalanceJudge judge, CuttingProxy proxy) throws Exception {
        System.out.printf(
                "projections, seed %d: %,d events (%d poisonous) into 2 read models; %s; %d of %d commits and %d other answers"
                        + " lost%n",
                SEED,
                flood.appended(),
                judge.poisonous(),
                faults,
                proxy.lostCommits(),
                proxy.commits(),
                proxy.lostAnswers());
    }

    private static List<String> arguments(PostgresDatabase postgres, CuttingProxy proxy) {
        return List.of(
                "jdbc:postgresql://127.0.0.1:%d/%s?user=postgres".formatted(proxy.port(), postgres.name()),
                Integer.toString(LEASE_SECONDS));
    }

    private static HikariDataSource pool(PostgresDatabase postgres) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(postgres.jdbcUrl());
        config.setMaximumPoolSize(6);
        return new HikariDataSource(config);
    }
}
