package dev.spream.storage.jdbc.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** An outbox in a database of its own, with the calls that tests share. */
final class TestOutbox implements AutoCloseable {
    static final Duration LEASE = Duration.ofMinutes(2);
    static final OutboxOwner ANN = OutboxOwner.of("ann");
    static final OutboxOwner BOB = OutboxOwner.of("bob");

    private final OutboxPlace place;
    final JdbcOutbox outbox;
    final JdbcOutboxStore store;
    final JdbcIdempotencyLedger ledger;

    /** In PostgreSQL. */
    TestOutbox() {
        this(new PostgresOutboxPlace());
    }

    TestOutbox(OutboxPlace place) {
        this.place = place;
        this.outbox = JdbcOutbox.create(place.dataSource());
        this.store = JdbcOutboxStore.create(place.dataSource());
        this.ledger = JdbcIdempotencyLedger.create(place.dataSource());
    }

    static TestDatabase databaseWithTables() {
        return TestDatabase.with("outbox", database -> JdbcOutbox.create(database.dataSource()));
    }

    HikariDataSource dataSource() {
        return place.dataSource();
    }

    OutboxPlace place() {
        return place;
    }

    TestDatabase database() {
        return ((PostgresOutboxPlace) place).database();
    }

    List<EnqueueResult> enqueue(OutboxMessage... messages) throws SQLException {
        return inTransaction(connection -> outbox.enqueueAll(connection, Arrays.asList(messages)));
    }

    List<EnqueueResult> enqueue(String... keys) throws SQLException {
        return enqueue(Arrays.stream(keys)
                .map(key -> OutboxMessage.of(key, "{\"order\":\"%s\"}".formatted(key)))
                .toArray(OutboxMessage[]::new));
    }

    <T> T inTransaction(Work<T> work) throws SQLException {
        try (Connection connection = dataSource().getConnection()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            connection.setAutoCommit(false);
            T result = work.run(connection);
            connection.commit();
            return result;
        }
    }

    /** Returns the rows of a query, with columns separated by commas; tables may be named as in statements of the store. */
    List<String> rows(String sql) throws SQLException {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(place.tables().in(sql))) {
            return texts(result);
        }
    }

    /** Returns the rows of a result, with columns separated by commas. */
    static List<String> texts(ResultSet result) throws SQLException {
        List<String> rows = new ArrayList<>();
        while (result.next()) {
            List<String> columns = new ArrayList<>();
            for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
                columns.add(String.valueOf(result.getString(column)));
            }
            rows.add(String.join(",", columns));
        }
        return rows;
    }

    void execute(String... statements) {
        database().execute(statements);
    }

    @Override
    public void close() {
        store.close();
        place.close();
    }

    /** The work of a test in a transaction. */
    interface Work<T> {
        T run(Connection connection) throws SQLException;
    }
}
