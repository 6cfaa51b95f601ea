package dev.spream.examples.order;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.HttpAddress;
import dev.spream.examples.fault.Await;
import dev.spream.examples.fault.CuttingProxy;
import dev.spream.examples.order.BrokerMode.Fault;
import dev.spream.examples.order.FaultJudge.Accepted;
import dev.spream.servers.PostgresDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Several order services share one outbox, while clients order all the time, and all parts fail: the broker takes orders
 * without a response, gets them twice, refuses them, is slow, is down and fails; connections to the database are ended, and
 * the responses to commits are lost; services are killed with {@code kill -9}, and stopped for longer than their lease and
 * continued. {@link OutboxOperator} settles the parked entries at the end. Then {@link FaultJudge} finds no violation, and no settled
 * row of the ledger was ever written again.
 *
 * <p>Each fault occurs at least once; {@code -Doutbox.fault-seconds=120} runs for that long, with more services and orders, and
 * {@code -Doutbox.seed=…} repeats the random choices.
 */
final class OutboxFaultIT {
    private static final Duration DURATION = Duration.ofSeconds(Integer.getInteger("outbox.fault-seconds", 0));
    private static final long SEED = Long.getLong("outbox.seed", System.nanoTime() % 1_000_000);
    private static final Duration PACE = Duration.ofMillis(DURATION.isZero() ? 200 : 20);
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    private static final Duration STEP = Duration.ofMillis(400);
    private static final Duration SLOW = Duration.ofMillis(450);
    private static final int STEPS_OF_A_PAUSE =
            Math.toIntExact(LEASE.multipliedBy(3).dividedBy(2).dividedBy(STEP));
    private static final int LOSS_EVERY = 75;
    private static final int ORDERS = DURATION.isZero() ? 60 : 150;

    private final Map<String, Integer> faults = new TreeMap<>();
    private final Random random = new Random(SEED);

    /** A stopped service sends its entry once it is continued; the idempotency key makes that harmless. */
    @Test
    void a_broker_that_recognises_keys_carries_every_order_out_once() throws Exception {
        run("idempotent", true, EnumSet.allOf(Fault.class), List.of("pause", "cut", "kill"), DURATION.isZero() ? 2 : 3);
    }

    /**
     * Without pauses and without duplicates of the broker's own, which neither the broker nor the services could
     * detect. A short run has one service, which starts anew when it was killed.
     */
    @Test
    @Tag("proof")
    void a_broker_that_can_be_asked_carries_every_order_out_once() throws Exception {
        run(
                "queryable",
                false,
                EnumSet.complementOf(EnumSet.of(Fault.DUPLICATE)),
                List.of("cut", "kill"),
                DURATION.isZero() ? 1 : 3);
    }

    private void run(String name, boolean recognisesKeys, Set<Fault> ofBroker, List<String> ofServices, int services)
            throws Exception {
        List<Fault> brokerFaults = new ArrayList<>(ofBroker);
        List<String> faultsOfServices = new ArrayList<>(ofServices);
        Collections.shuffle(brokerFaults, random);
        PostgresDatabase postgres = PostgresDatabase.create();
        try (HikariDataSource database = pool(postgres);
                CuttingProxy proxy = CuttingProxy.before(postgres.port());
                Broker broker = Broker.start(HttpAddress.parse("0"));
                OutboxOperator onCall = new OutboxOperator(database, broker.book());
                ServiceFleet fleet = new ServiceFleet(
                        Path.of("target", "order-services", name),
                        environment(postgres, proxy, broker, recognisesKeys))) {
            broker.mode(new BrokerMode(Fault.OK, 1, SEED, Duration.ZERO, recognisesKeys));
            fleet.complete(services);
            LedgerWatch watch = LedgerWatch.over(database);
            OutboxTables tables = new OutboxTables(database);
            try (OrderFlood flood = new OrderFlood(fleet::any, 3, 3, PACE)) {
                proxy.lose(LOSS_EVERY);
                long end = System.nanoTime() + DURATION.toNanos();
                int kinds = ofBroker.size() + ofServices.size();
                while (System.nanoTime() - end < 0
                        || flood.size() < ORDERS
                        || faults.size() < kinds
                        || proxy.lostCommits() == 0) {
                    fleet.complete(services);
                    String victim =
                            fleet.names().get(random.nextInt(fleet.names().size()));
                    switch (next(faultsOfServices)) {
                        case "kill" -> {
                            fleet.kill(victim);
                            breakBroker(broker, brokerFaults, watch, 3);
                        }
                        case "pause" -> {
                            fleet.stop(victim);
                            breakBroker(broker, brokerFaults, watch, STEPS_OF_A_PAUSE);
                            fleet.resume(victim);
                        }
                        default -> {
                            tables.cutConnections();
                            breakBroker(broker, brokerFaults, watch, 3);
                        }
                    }
                    fleet.requireAlive();
                    flood.requireOrdering();
                }
                proxy.lose(0);
                broker.mode(new BrokerMode(Fault.OK, 1, SEED, Duration.ZERO, recognisesKeys));
                List<Accepted> accepted = flood.stop();
                Await.until(
                        TIMEOUT,
                        () -> {
                            watch.look();
                            fleet.requireAlive();
                            onCall.decide();
                            return tables.unsettled().isEmpty();
                        },
                        () -> "not settled with seed %d: %s".formatted(SEED, tables.unsettled()));
                fleet.terminate();
                watch.look();
                judge(name, accepted, tables, broker, watch, proxy, flood, onCall);
            }
        }
    }

    private void judge(
            String name,
            List<Accepted> accepted,
            OutboxTables tables,
            Broker broker,
            LedgerWatch watch,
            CuttingProxy proxy,
            OrderFlood flood,
            OutboxOperator onCall)
            throws Exception {
        FaultJudge.Evidence evidence = new FaultJudge.Evidence(
                accepted,
                tables.orders(),
                tables.ledger(),
                tables.unsettled(),
                broker.book().effects());
        List<BrokerJournal.Line> book = broker.book().lines();
        System.out.printf(
                "outbox, %s broker, seed %d: %d orders accepted (%d repeated by clients), %s in the ledger; %d requests at the"
                        + " broker, %d effects; %s; %d of %d commits and %d other answers lost; %d parked and settled by the operator;"
                        + " %d looks at the ledger%n",
                name,
                SEED,
                accepted.size(),
                flood.repeated(),
                tables.counts(),
                book.stream().mapToLong(BrokerJournal.Line::requests).sum(),
                evidence.effects().size(),
                faults,
                proxy.lostCommits(),
                proxy.commits(),
                proxy.lostAnswers(),
                onCall.decided(),
                watch.looks());
        assertThat(FaultJudge.judge(evidence)).as("wrong with seed %d", SEED).isEmpty();
        assertThat(watch.changes())
                .as("settled rows that changed, seed %d", SEED)
                .isEmpty();
        assertThat(accepted).as("orders that were accepted").hasSizeGreaterThanOrEqualTo(ORDERS);
        assertThat(proxy.lostCommits()).as("commits whose answers were lost").isPositive();
    }

    /** Breaks the broker in one way after the other. */
    private void breakBroker(Broker broker, List<Fault> among, LedgerWatch watch, int steps) throws Exception {
        for (int step = 0; step < steps; step++) {
            broker.mode(new BrokerMode(
                    next(among), 0.3, random.nextLong(), SLOW, broker.mode().recognisesKeys()));
            watch.look();
            LockSupport.parkNanos(STEP.toNanos());
        }
    }

    /** All of them in turn, so that none is left out in a short run. */
    private <T> T next(List<T> among) {
        T next = among.getFirst();
        Collections.rotate(among, -1);
        faults.merge(next.toString().toLowerCase(Locale.ROOT), 1, Integer::sum);
        return next;
    }

    private static Map<String, String> environment(
            PostgresDatabase postgres, CuttingProxy proxy, Broker broker, boolean recognisesKeys) {
        return Map.ofEntries(
                Map.entry(
                        "DATABASE_URL",
                        "jdbc:postgresql://127.0.0.1:%d/%s?user=postgres".formatted(proxy.port(), postgres.name())),
                Map.entry("BROKER_URL", broker.uri().toString()),
                Map.entry("BROKER_RECOGNISES_KEYS", Boolean.toString(recognisesKeys)),
                Map.entry("ORDER_HTTP", "0"),
                Map.entry("OUTBOX_CONCURRENCY", "8"),
                Map.entry("OUTBOX_POLL_INTERVAL_SEC", "0.1"),
                Map.entry("OUTBOX_LOCK_LEASE_SEC", Long.toString(LEASE.toSeconds())),
                Map.entry("OUTBOX_MAX_ATTEMPTS", "1000"),
                Map.entry("OUTBOX_BACKOFF_SEC", "0.1,0.2,0.4"),
                Map.entry("BROKER_TIMEOUT_MS", "300"),
                Map.entry("SPREAM_CONFIG_OUTBOX_BREAKER_PAUSE", "500ms"),
                Map.entry("SPREAM_CONFIG_OUTBOX_JDBC_STATEMENT_TIMEOUT", "1s"));
    }

    private static HikariDataSource pool(PostgresDatabase postgres) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(postgres.jdbcUrl());
        config.setMaximumPoolSize(4);
        return new HikariDataSource(config);
    }
}
