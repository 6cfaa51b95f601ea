package dev.spream.storage.jdbc.lock;

import dev.spream.lock.provisioning.BucketProvisioning;
import dev.spream.storage.jdbc.MySqlDatabase;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/** Tests of the lock views of servers of MySQL's family, where a schema is a database. */
abstract class MySqlShownContract extends ShownLocksContract {
    abstract MySqlDatabase database();

    @Override
    final DataSource dataSource() {
        return database().dataSource();
    }

    @Override
    final JdbcLockStore open() throws InterruptedException {
        JdbcLockStore.Builder builder = JdbcLockStore.builder(dataSource()).space(SPACE);
        try (BucketProvisioning provisioning = builder.provisioning()) {
            provisioning.provision((done, all) -> {});
        }
        return builder.build();
    }

    @Override
    final JdbcLockObserver observer() {
        return JdbcLockObserver.of(dataSource(), Optional.empty());
    }

    @Override
    final void execute(String sql) {
        database().execute("USE " + database().name(), sql);
    }

    /** Returns a pause longer than the tenth of a second for which MariaDB repeats its previous report. */
    @Override
    final Duration pause() {
        return Duration.ofMillis(150);
    }

    @Override
    final String work() {
        return "work";
    }
}
