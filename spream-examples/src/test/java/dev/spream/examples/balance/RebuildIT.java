package dev.spream.examples.balance;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.examples.fault.Await;
import dev.spream.projection.CutoverReport;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.VersionComparison;
import dev.spream.projection.VersionRole;
import dev.spream.servers.PostgresDatabase;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionOperations;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A read model is rebuilt during continuous appends and reads: the service that builds it is killed half-way, the new
 * version is compared and made live, the old one is made live again, and the new one is dropped. Withdrawals are
 * recorded once, whichever version is live.
 *
 * <p>{@code -Drebuild.events=1000000} begins with that many events.
 */
@Tag("proof")
final class RebuildIT {
    private static final long EVENTS = Long.getLong("rebuild.events", 3_000);
    private static final String PROJECTION = "account_balances";
    private static final int SEGMENTS = 4;
    private static final long FURTHER = 200;
    private static final double NEARLY_ALL = 0.99;
    private static final Duration TIMEOUT = Duration.ofSeconds(120 + EVENTS / 1_000);
    private static final Duration STAND_STILL = Duration.ofSeconds(30);
    private static final Act ACT = new Act("on-call", "rebuild");

    private final SplittableRandom random = new SplittableRandom(EVENTS);

    @Test
    void a_read_model_is_built_anew_while_it_is_read_and_written() throws Exception {
        PostgresDatabase postgres = PostgresDatabase.create();
        try (HikariDataSource database = pool(postgres);
                JdbcEventStore events = JdbcEventStore.create(database);
                JdbcProjectionOperations operations = JdbcProjectionOperations.create(database);
                BalanceFleet fleet = new BalanceFleet(
                        Path.of("target", "rebuild-services"),
                        RecordedBalanceService.class,
                        List.of(postgres.jdbcUrl()))) {
            BalanceJudge judge = new BalanceJudge(database);
            ProjectionRebuilds rebuilds = operations.rebuilds();
            createTables(database);
            SteadyMovements.append(events, EVENTS, random);
            fleet.start();
            awaitRight(fleet, judge);
            try (BalanceReader reader = new BalanceReader(database)) {
                try (SteadyMovements more = new SteadyMovements(events, random.split())) {
                    build(database, fleet, judge, rebuilds);
                    requireParity(rebuilds.compare(PROJECTION, 2, Set.of(), STAND_STILL));
                    report(rebuilds.cutOver(PROJECTION, 2, STAND_STILL, Set.of(), ACT));
                    assertThat(roles(rebuilds)).containsExactly(VersionRole.RETIRED, VersionRole.LIVE);
                    awaitMore(fleet, reader);
                    more.stop();
                }
                awaitRight(fleet, judge);
                try (SteadyMovements more = new SteadyMovements(events, random.split())) {
                    awaitMore(fleet, reader);
                    report(rebuilds.cutOver(PROJECTION, 1, STAND_STILL, Set.of(), ACT));
                    assertThat(roles(rebuilds)).containsExactly(VersionRole.LIVE, VersionRole.RETIRED);
                    awaitMore(fleet, reader);
                    more.stop();
                }
                awaitRight(fleet, judge);
                requireParity(rebuilds.compare(PROJECTION, 2, Set.of(), STAND_STILL));
                rebuilds.drop(PROJECTION, 2, ACT);
                requireDropped(judge, rebuilds);
                try (SteadyMovements more = new SteadyMovements(events, random.split())) {
                    awaitMore(fleet, reader);
                    more.stop();
                }
                awaitRight(fleet, judge);
                reader.stop();
                fleet.terminate();
                requireNotedOnce(judge);
                System.out.printf(
                        "rebuild: %s events in all, read %,d times%n",
                        judge.rows("SELECT count(*) FROM spream.events").getFirst(), reader.reads());
            }
        }
    }

    /**
     * Kills the service while all segments but the first account's are being processed, and lets another one
     * continue.
     */
    private void build(HikariDataSource database, BalanceFleet fleet, BalanceJudge judge, ProjectionRebuilds rebuilds)
            throws Exception {
        try (Connection brake = database.getConnection();
                Statement statement = brake.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(%d)".formatted(RecordedBalances.BRAKE));
            assertThat(rebuilds.rebuild(PROJECTION, OptionalInt.empty(), 0, ACT))
                    .isEqualTo(2);
            Await.until(
                    TIMEOUT,
                    () -> begun(judge).size() == SEGMENTS - 1,
                    () -> "of version 2 these segments have begun: " + begun(judge));
            fleet.kill(fleet.any(random));
            List<String> begun = begun(judge);
            assertThat(progress(rebuilds).isCaughtUp())
                    .as("caught up when it was killed")
                    .isFalse();
            fleet.start();
            assertThat(begun(judge)).containsAll(begun);
            statement.execute("SELECT pg_advisory_unlock(%d)".formatted(RecordedBalances.BRAKE));
        }
        Await.until(TIMEOUT, () -> progress(rebuilds).share() > NEARLY_ALL, () -> "not built: " + progress(rebuilds));
    }

    /** Segments of version 2 that have dealt with events. */
    private static List<String> begun(BalanceJudge judge) throws SQLException {
        return judge.rows("""
                SELECT segment FROM spream.projection_segments WHERE projection = 'account_balances@2' AND position > 0
                ORDER BY segment""");
    }

    private static RebuildProgress progress(ProjectionRebuilds rebuilds) {
        return rebuilds.progress(PROJECTION).getFirst();
    }

    private static List<VersionRole> roles(ProjectionRebuilds rebuilds) {
        return rebuilds.versions(PROJECTION).stream()
                .map(ProjectionVersion::role)
                .toList();
    }

    /** Waits for as many movements as there are events, which are no more now, and compares all balances with them. */
    private static void awaitRight(BalanceFleet fleet, BalanceJudge judge) throws Exception {
        String missing = """
                SELECT count(*) - (SELECT coalesce(sum(movements), 0) FROM account_balances) FROM spream.events""";
        Await.until(
                TIMEOUT,
                () -> {
                    fleet.requireAlive();
                    return Long.parseLong(judge.rows(missing).getFirst()) <= 0;
                },
                () -> judge.rows(missing) + " movements are missing");
        assertThat(judge.wrongBalances()).isEmpty();
    }

    private static void awaitMore(BalanceFleet fleet, BalanceReader reader) throws Exception {
        long wanted = reader.movements() + FURTHER;
        Await.until(
                TIMEOUT,
                () -> {
                    fleet.requireAlive();
                    return reader.movements() >= wanted;
                },
                () -> "%d movements were read, not %d".formatted(reader.movements(), wanted));
    }

    private static void requireParity(VersionComparison comparison) {
        assertThat(comparison.isEqual()).as("%s", comparison).isTrue();
        assertThat(comparison.tables()).singleElement().satisfies(table -> {
            assertThat(table.name()).isEqualTo(PROJECTION);
            assertThat(table.otherRows()).isEqualTo(SteadyMovements.ACCOUNTS);
        });
    }

    private static void requireDropped(BalanceJudge judge, ProjectionRebuilds rebuilds) throws SQLException {
        assertThat(rebuilds.versions(PROJECTION)).singleElement().matches(ProjectionVersion::isLive);
        assertThat(judge.rows("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'public\\_%'"))
                .as("schemas of versions")
                .isEmpty();
        List<String> tables = judge.rows("""
                SELECT tablename FROM pg_tables WHERE schemaname = 'spream' AND tablename LIKE 'projection%'""");
        assertThat(tables).contains("projection_keys");
        for (String table : tables) {
            assertThat(judge.rows(
                            "SELECT row FROM spream.%s AS row WHERE row::text LIKE '%%account_balances@2%%' LIMIT 3"
                                    .formatted(table)))
                    .as(table)
                    .isEmpty();
        }
    }

    private static void requireNotedOnce(BalanceJudge judge) throws SQLException {
        assertThat(judge.rows(
                        "SELECT account, version FROM withdrawal_notes GROUP BY 1, 2 HAVING count(*) > 1 LIMIT 3"))
                .as("noted again")
                .isEmpty();
        assertThat(judge.rows("""
                        SELECT aggregate_id, event_version FROM spream.events WHERE event_type = 'MoneyWithdrawn'
                        EXCEPT SELECT account, version FROM withdrawal_notes LIMIT 3""")).as("not noted").isEmpty();
    }

    private static void report(CutoverReport cutOver) {
        System.out.printf(
                "rebuild: version %d after %d, no event was applied for %d ms%n",
                cutOver.to(), cutOver.from(), cutOver.pause().toMillis());
    }

    private static void createTables(HikariDataSource database) throws SQLException {
        BalanceService.createTables(database);
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(RecordedBalances.NOTES);
        }
    }

    private static HikariDataSource pool(PostgresDatabase postgres) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(postgres.jdbcUrl());
        config.setMaximumPoolSize(8);
        return new HikariDataSource(config);
    }
}
