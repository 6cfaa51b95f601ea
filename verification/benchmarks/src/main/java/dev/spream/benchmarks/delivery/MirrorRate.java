package dev.spream.benchmarks.delivery;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Comparison;
import dev.spream.benchmarks.harness.Postgres;
import dev.spream.benchmarks.harness.Sql;
import dev.spream.benchmarks.harness.Subscriptions;
import dev.spream.storage.jdbc.mirror.JdbcMirror;
import java.util.UUID;

/**
 * A subscription that mirrors a table into PostgreSQL, each change once, compared with plain batched JDBC upserts of
 * the same rows in batches of the same size over as many connections. Goal: 0.7 times their rate. Runs once with keys
 * that occur once in a batch, and once with hot keys, whose changes the mirror folds.
 */
public final class MirrorRate {
    private static final int ROWS = Integer.getInteger("rows", 200_000);
    private static final int PARTITIONS = Integer.getInteger("partitions", 4);
    private static final int BATCH = Integer.getInteger("batch", 500);
    private static final int WARM_UPS = Integer.getInteger("warmUps", 2);
    private static final int TURNS = Integer.getInteger("turns", 5);
    private static final int MANY_KEYS = 10_000;
    private static final int HOT_KEYS = 50;

    private static final String[] TABLES = {
        "DROP SCHEMA IF EXISTS plain CASCADE",
        "DROP SCHEMA IF EXISTS mirrored CASCADE",
        "CREATE SCHEMA plain",
        "CREATE SCHEMA mirrored",
        table("plain"),
        table("mirrored")
    };

    private MirrorRate() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        try (Postgres postgres = new Postgres();
                HikariDataSource database = Postgres.pool(postgres.url())) {
            compare(database, MANY_KEYS);
            compare(database, HOT_KEYS);
        }
    }

    private static void compare(HikariDataSource database, int keysOfPartition) throws Exception {
        Sql.run(database, TABLES);
        OrdersSource source = new OrdersSource(ROWS, PARTITIONS, keysOfPartition);
        PlainUpsert plain = new PlainUpsert(database, BATCH);
        new Comparison(
                        "mirror into PostgreSQL, partitions: %d, keys of each: %d, batches: %d"
                                .formatted(PARTITIONS, keysOfPartition, BATCH),
                        ROWS)
                .add("plain JDBC upserts in batches", () -> {
                    Sql.run(database, "TRUNCATE plain.\"Orders\"");
                    return plain.run(source, PARTITIONS);
                })
                .add("spream's mirror with its ledger", () -> {
                    Sql.run(database, "TRUNCATE mirrored.\"Orders\"");
                    return mirror(database, source);
                })
                .goal("spream at 0.9 or more of plain JDBC")
                .run(WARM_UPS, TURNS);
        Sql.requireEqual(database, "plain.\"Orders\"", "mirrored.\"Orders\"");
    }

    private static long mirror(HikariDataSource database, OrdersSource source) {
        JdbcMirror mirror = JdbcMirror.builder(database, "orders-" + UUID.randomUUID())
                .schema("mirrored")
                .build();
        Subscriptions.readToEnd(
                source,
                mirror,
                options -> options.startAt(OrdersSource.START)
                        .endAt(OrdersSource.END)
                        .maxInflight(BATCH));
        return ROWS;
    }

    private static String table(String schema) {
        return """
                CREATE TABLE %s."Orders" ("OrderId" bigint PRIMARY KEY, "Customer" text, "Amount" numeric, "Paid" boolean,
                    "ChangedAt" timestamptz)""".formatted(schema);
    }
}
