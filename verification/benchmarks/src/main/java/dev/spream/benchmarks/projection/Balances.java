package dev.spream.benchmarks.projection;

import dev.spream.benchmarks.harness.Sql;
import dev.spream.core.record.JsonObject;
import dev.spream.projection.event.EventEnvelope;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The read model of the benchmark: the balance of every account, and the number of its movements. */
final class Balances {
    private Balances() {}

    static String table(String name) {
        return "CREATE TABLE %s (account text PRIMARY KEY, balance bigint NOT NULL, movements bigint NOT NULL)"
                .formatted(name);
    }

    /** Creates an empty event store, and the read models of spream and of plain JDBC. */
    static void createTables(DataSource database) throws SQLException {
        Sql.run(
                database,
                "DROP SCHEMA IF EXISTS spream CASCADE",
                "DROP SCHEMA IF EXISTS plain CASCADE",
                "CREATE SCHEMA plain",
                table("plain.balances"),
                "DROP TABLE IF EXISTS balances",
                table("balances"));
    }

    static long amount(EventEnvelope event) {
        return JsonObject.of(event.eventData()).int64("amount").orElseThrow();
    }
}
