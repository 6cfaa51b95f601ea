package dev.spream.storage.jdbc.projection;

import static java.util.stream.Collectors.toMap;

import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionStore;
import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.testkit.projection.ProjectionStoreFixture;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Projections in a database of their own, whose clock is moved, with a read model of numbers. */
final class JdbcProjectionFixture implements ProjectionStoreFixture<Connection> {
    private static final String TABLE = "CREATE TABLE balances (key text PRIMARY KEY, balance bigint NOT NULL)";

    private final TestDatabase database = TestProjections.databaseWith(TABLE);
    private final JdbcProjectionStore store = JdbcProjectionStore.create(database.dataSource());
    private final JdbcProjectionStore anotherStore = JdbcProjectionStore.create(database.dataSource());
    private final JdbcProjectionOperations operations = JdbcProjectionOperations.create(database.dataSource());
    private final Database statements =
            new Database(database.dataSource(), new SchemaName("spream"), Duration.ofSeconds(5));

    @Override
    public ProjectionStore<Connection> store() {
        return store;
    }

    @Override
    public ProjectionStore<Connection> anotherStore() {
        return anotherStore;
    }

    @Override
    public ProjectionOperations operations() {
        return operations;
    }

    @Override
    public void write(Connection transaction, String row, long value) throws SQLException {
        try (PreparedStatement statement = transaction.prepareStatement(
                "INSERT INTO balances VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET balance = excluded.balance")) {
            statement.setString(1, row);
            statement.setLong(2, value);
            statement.executeUpdate();
        }
    }

    @Override
    public long read(Connection transaction, String row) throws SQLException {
        try (PreparedStatement statement = transaction.prepareStatement("SELECT balance FROM balances WHERE key = ?")) {
            statement.setString(1, row);
            try (ResultSet result = statement.executeQuery()) {
                return result.next() ? result.getLong(1) : 0;
            }
        }
    }

    @Override
    public Set<String> tables() {
        return Set.of("balances");
    }

    @Override
    public void create(Connection transaction) throws SQLException {
        try (Statement statement = transaction.createStatement()) {
            statement.execute(TABLE);
        }
    }

    @Override
    public Map<String, Long> rows() {
        return statements
                .rows(
                        "reading the read model",
                        "SELECT key, balance FROM public.balances",
                        p -> {},
                        row -> Map.entry(row.getString("key"), row.getLong("balance")))
                .stream()
                .collect(toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    @Override
    public void passTime(Duration time) {
        database.passTime(time);
    }

    @Override
    public List<Act> audit(String projection) {
        return statements.rows(
                "reading the audit",
                "SELECT actor, reason FROM @projection_audit WHERE projection = ? ORDER BY id",
                p -> p.text(projection),
                row -> new Act(row.getString("actor"), row.getString("reason")));
    }

    @Override
    public List<String> deadLetters(String projection) {
        return statements.rows("reading the dead letters", """
                SELECT coalesce(event_id, origin) AS name FROM @projection_dead_letters
                WHERE projection = ? ORDER BY id""", p -> p.text(projection), row -> row.getString("name"));
    }

    @Override
    public void close() {
        store.close();
        anotherStore.close();
        operations.close();
        database.close();
    }
}
