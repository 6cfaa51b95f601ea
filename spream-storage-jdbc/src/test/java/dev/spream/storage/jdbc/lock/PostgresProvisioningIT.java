package dev.spream.storage.jdbc.lock;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.provisioning.BucketLayout;
import dev.spream.lock.provisioning.BucketSpaceCheck;
import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

final class PostgresProvisioningIT extends BucketProvisioningContract {
    @SuppressWarnings("NullAway.Init") // by the constructor above
    private TestDatabase database;

    @Override
    Fixture createFixture() {
        database = new TestDatabase();
        return new PostgresFixture(database);
    }

    @Test
    void a_store_of_advisory_locks_records_what_it_locks_by() {
        BucketSpaceTable.tables(database.dataSource(), Optional.empty()).ensure(true);
        assertThat(settle(AskedLayout.ANY))
                .isEqualTo(new BucketLayout("advisory", LockStrategy.ADVISORY.defaultSpace()))
                .isEqualTo(settle(AskedLayout.ANY));
        assertThatExceptionOfType(BucketSpaceException.class)
                .isThrownBy(() -> rows(SMALL).provision((done, all) -> {}))
                .withMessageContaining("are advisory, 16 levels");
    }

    @Test
    void a_check_finds_that_there_are_no_tables_even_if_no_rows_are_needed() throws Exception {
        BucketSpaceCheck check = provisioning(AskedLayout.ANY).check((done, all) -> {});
        assertThat(check.problems())
                .singleElement()
                .asString()
                .startsWith("schema 'spream' has no tables of hierarchical locks; create them: ./spream locks provision"
                        + " --strategy advisory")
                .contains("--schema spream");
        BucketSpaceTable.tables(database.dataSource(), Optional.empty()).ensure(true);
        assertThat(provisioning(AskedLayout.ANY).check((done, all) -> {}).isSound())
                .as("the first store records the rest")
                .isTrue();
    }

    @Test
    void buckets_of_advisory_locks_are_taken_for_a_mistake() {
        AskedLayout buckets =
                new AskedLayout(Optional.empty(), Optional.empty(), Optional.of(1_048_576L), Optional.empty());
        assertThatExceptionOfType(BucketSpaceException.class)
                .isThrownBy(() -> provisioning(buckets).provision((done, all) -> {}))
                .withMessageContaining("add --strategy rows");
    }

    @Test
    void a_vacuum_is_waited_for_when_buckets_are_removed() throws Exception {
        rows(SMALL).provision((done, all) -> {});
        FutureTask<Boolean> clear = new FutureTask<>(() -> rows(OTHER).clear(), true);
        try (Connection vacuum = database.dataSource().getConnection();
                Statement statement = vacuum.createStatement()) {
            vacuum.setAutoCommit(false);
            statement.execute("LOCK TABLE spream.hier_lock_buckets IN SHARE UPDATE EXCLUSIVE MODE");
            Thread.ofVirtual().name("clear").start(clear);
            database.awaitBlocked(1);
            vacuum.rollback();
        }
        assertThat(clear.get(30, SECONDS)).isTrue();
        assertThat(rows(OTHER).provision((done, all) -> {}).made()).isEqualTo(6_000);
    }

    private record PostgresFixture(TestDatabase database) implements Fixture {
        @Override
        public DataSource dataSource() {
            return database.dataSource();
        }

        @Override
        public String place() {
            return "schema 'spream'";
        }

        @Override
        public String prefix() {
            return "spream.";
        }

        @Override
        public void execute(String... statements) {
            database.execute(statements);
        }

        @Override
        public boolean killWaiter() throws SQLException {
            try (Connection connection = database.dataSource().getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet killed = statement.executeQuery("""
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0""")) {
                return killed.next();
            }
        }

        @Override
        public void close() {
            database.close();
        }
    }
}
