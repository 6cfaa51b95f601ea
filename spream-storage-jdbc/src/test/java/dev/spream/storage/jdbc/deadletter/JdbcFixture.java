package dev.spream.storage.jdbc.deadletter;

import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.consume.DeadLetterSinkFixture;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** The dead letters of a subscription of their own, in a database that several share. */
final class JdbcFixture implements DeadLetterSinkFixture {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private final DataSource dataSource;
    private final String subscription = "orders %d".formatted(COUNT.incrementAndGet());
    private JdbcDeadLetterStore store;

    JdbcFixture(DataSource dataSource) throws InterruptedException {
        this.dataSource = dataSource;
        this.store = another();
    }

    /** The store of another process. */
    JdbcDeadLetterStore another() throws InterruptedException {
        return JdbcDeadLetterStore.create(dataSource, subscription);
    }

    String subscription() {
        return subscription;
    }

    /** Returns the number of stored letters, open and resolved. */
    int rows() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement count = connection.prepareStatement(
                        "SELECT count(*) FROM spream.dead_letters WHERE subscription = ?")) {
            count.setString(1, subscription);
            try (ResultSet row = count.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    @Override
    public JdbcDeadLetterStore sink() {
        return store;
    }

    @Override
    public void restart() throws InterruptedException {
        store.close();
        store = another();
    }

    @Override
    public List<DataChangeRecord> kept() throws InterruptedException {
        return store
                .read(store.openLetters().stream()
                        .map(DeadLetterStore.Entry::identity)
                        .toList())
                .stream()
                .map(StoredDeadLetter::change)
                .toList();
    }

    @Override
    public void close() {
        store.close();
    }
}
