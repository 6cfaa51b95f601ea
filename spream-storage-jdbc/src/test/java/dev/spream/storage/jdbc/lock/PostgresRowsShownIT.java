package dev.spream.storage.jdbc.lock;

import dev.spream.lock.provisioning.BucketProvisioning;
import dev.spream.storage.jdbc.TestDatabase;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;

final class PostgresRowsShownIT extends ShownLocksContract {
    private static final String SCHEMA = "shown_rows";
    private static final TestDatabase DATABASE = new TestDatabase();

    @AfterAll
    static void drop() {
        DATABASE.close();
    }

    @Override
    DataSource dataSource() {
        return DATABASE.dataSource();
    }

    @Override
    JdbcLockStore open() throws InterruptedException {
        JdbcLockStore.Builder builder = JdbcLockStore.builder(dataSource())
                .schema(SCHEMA)
                .strategy(LockStrategy.ROWS)
                .space(SPACE);
        try (BucketProvisioning provisioning = builder.provisioning()) {
            provisioning.provision((done, all) -> {});
        }
        return builder.build();
    }

    @Override
    JdbcLockObserver observer() {
        return JdbcLockObserver.of(dataSource(), Optional.of(SCHEMA));
    }

    @Override
    void execute(String sql) {
        DATABASE.execute("SET search_path = " + SCHEMA, sql);
    }

    @Override
    String work() {
        return SCHEMA + ".work";
    }

    @Override
    boolean isComplete() {
        return false;
    }

    @Override
    boolean showsKeys() {
        return isComplete();
    }
}
