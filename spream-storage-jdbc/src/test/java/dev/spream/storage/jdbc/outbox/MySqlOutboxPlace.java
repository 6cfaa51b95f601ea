package dev.spream.storage.jdbc.outbox;

import static java.util.stream.Collectors.joining;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import dev.spream.storage.jdbc.outbox.mysql.MySqlOutbox;
import java.time.Duration;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A database on a server of MySQL or MariaDB, which tests use one after the other: it is emptied instead of created
 * anew. Instead of its clock, the stored times are moved.
 */
final class MySqlOutboxPlace implements OutboxPlace {
    private static final int CONNECTIONS = 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** Each test has ids of its own: an outbox of an earlier one may still be releasing claims. */
    private static final int IDS = 1_000_000;

    private final MySqlDatabase database;
    private final HikariDataSource pool;
    private final OutboxDatabase tables;
    private long firstId = 1;

    /** @param url the URL of the database for one of the drivers */
    MySqlOutboxPlace(MySqlServer server, Function<MySqlDatabase, String> url) {
        database = new MySqlDatabase(server);
        pool = database.open(url.apply(database), CONNECTIONS);
        OutboxTables names =
                new OutboxTables(database.name(), OutboxTables.DEFAULT_OUTBOX, OutboxTables.DEFAULT_LEDGER);
        tables = MySqlOutbox.open(pool, names, TIMEOUT, true).database();
    }

    MySqlDatabase database() {
        return database;
    }

    @Override
    public HikariDataSource dataSource() {
        return pool;
    }

    @Override
    public OutboxDatabase tables() {
        return tables;
    }

    @Override
    public void passTime(Duration time) {
        String less = " - INTERVAL %d MICROSECOND".formatted(time.toNanos() / 1_000);
        execute(
                "UPDATE @outbox SET next_run_at = CASE WHEN next_run_at < @never THEN next_run_at%s ELSE next_run_at END, %s"
                        .formatted(
                                less,
                                moved(less, "created_at", "updated_at", "expires_at", "locked_at", "lease_until")),
                "UPDATE @ledger SET " + moved(less, "created_at", "updated_at", "settled_at"),
                "UPDATE @segments SET " + moved(less, "lease_until"),
                "UPDATE @workers SET " + moved(less, "alive_until"),
                "UPDATE @audit SET " + moved(less, "at"));
    }

    private static String moved(String less, String... columns) {
        return Stream.of(columns)
                .map(column -> "%1$s = %1$s%2$s".formatted(column, less))
                .collect(joining(", "));
    }

    @Override
    public void close() {
        firstId += IDS;
        execute(
                "SET SESSION lock_wait_timeout = 20",
                "TRUNCATE TABLE @outbox", // keys that are deleted and inserted again would be locked with their
                // neighbours
                "ALTER TABLE @outbox AUTO_INCREMENT = " + firstId,
                "TRUNCATE TABLE @ledger",
                "DELETE FROM @workers",
                "DELETE FROM @audit",
                "UPDATE @segments SET owner = NULL, lease_until = NULL");
    }

    /** Removes the database. */
    void drop() {
        pool.close();
        database.close();
    }

    void execute(String... statements) {
        database.execute(Stream.of(statements).map(tables::in).toArray(String[]::new));
    }
}
