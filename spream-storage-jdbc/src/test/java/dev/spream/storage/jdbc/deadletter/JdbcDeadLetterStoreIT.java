package dev.spream.storage.jdbc.deadletter;

import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.testkit.consume.DeadLetterSinkFixture;
import dev.spream.testkit.consume.DeadLetterStoreContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

final class JdbcDeadLetterStoreIT extends DeadLetterStoreContract {
    private static TestDatabase database;

    @BeforeAll
    static void open() {
        database = new TestDatabase();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @Override
    protected DeadLetterSinkFixture createFixture() throws InterruptedException {
        return new JdbcFixture(database.dataSource());
    }
}
