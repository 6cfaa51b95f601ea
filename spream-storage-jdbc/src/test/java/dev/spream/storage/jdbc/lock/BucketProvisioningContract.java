package dev.spream.storage.jdbc.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.BucketsNotProvisionedException;
import dev.spream.lock.LockBusyException;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.provisioning.BucketLayout;
import dev.spream.lock.provisioning.BucketProvisioning;
import dev.spream.lock.provisioning.BucketProvisioning.Provisioned;
import dev.spream.lock.provisioning.BucketSpaceCheck;
import dev.spream.lock.provisioning.BucketSpaceCheck.Range;
import dev.spream.storage.jdbc.lock.dialect.LockTables;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of provisioning on every kind of database. */
abstract class BucketProvisioningContract {
    static final BucketSpace SMALL = new BucketSpace(BucketHash.SHA256, 2_500, 2);
    static final BucketSpace OTHER = new BucketSpace(BucketHash.SHA256, 3_000, 2);
    private static final int CHUNK = 1_000;

    /** An empty database, of one kind. */
    interface Fixture extends AutoCloseable {
        DataSource dataSource();

        /** Returns the place of the locks by default, as messages name it. */
        String place();

        /** Returns the prefix of the names of its tables. */
        String prefix();

        void execute(String... statements);

        /** Ends the connection of a session that waits for another one's lock; returns whether there was one. */
        boolean killWaiter() throws SQLException;

        @Override
        void close();
    }

    private final Fixture database = createFixture();

    abstract Fixture createFixture();

    @AfterEach
    void drop() {
        database.close();
    }

    @Test
    void every_bucket_of_every_level_is_made_in_chunks() throws Exception {
        List<Long> reached = new ArrayList<>();
        Provisioned provisioned = rows(SMALL).provision((done, all) -> reached.add(done));
        assertThat(provisioned).isEqualTo(new Provisioned(new BucketLayout("rows", SMALL), 5_000, 5_000));
        assertThat(reached).containsExactly(1_000L, 2_000L, 2_500L, 3_500L, 4_500L, 5_000L);
        BucketSpaceCheck check = rows(SMALL).check((done, all) -> {});
        assertThat(check.problems()).isEmpty();
        assertThat(check.levels())
                .containsExactly(
                        new BucketSpaceCheck.Level(0, 2_500, List.of()),
                        new BucketSpaceCheck.Level(1, 2_500, List.of()));
    }

    @Test
    void a_killed_provisioning_continues_where_it_stopped() throws Exception {
        tables().ensure(true);
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
                Connection inTheWay = database.dataSource().getConnection();
                Statement statement = inTheWay.createStatement()) {
            inTheWay.setAutoCommit(false);
            statement.execute(
                    "INSERT INTO %shier_lock_buckets (level, bucket) VALUES (1, 700)".formatted(database.prefix()));
            Future<Provisioned> provisioned = executor.submit(() -> rows(SMALL).provision((done, all) -> {}));
            while (!database.killWaiter()) {
                assertThat(provisioned.isDone()).as("ended").isFalse();
                LockSupport.parkNanos(2_000_000);
            }
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(provisioned::get)
                    .withCauseInstanceOf(LockConnectionException.class)
                    .withMessageContaining("creating lock buckets in %s failed".formatted(database.place()));
            inTheWay.rollback();
        }
        assertThat(count()).isEqualTo(2_500);
        assertThatExceptionOfType(BucketsNotProvisionedException.class)
                .isThrownBy(() -> settle(AskedLayout.ANY))
                .withMessageContaining("2500 of 5000 buckets")
                .withMessageContaining("./spream locks provision --strategy rows --buckets 2500 --levels 2");
        assertThat(rows(SMALL).check((done, all) -> {}).problems())
                .singleElement()
                .asString()
                .startsWith("2500 of 5000 buckets were created; continue: ./spream locks provision");
        assertThat(rows(SMALL).provision((done, all) -> {}).made()).isEqualTo(2_500);
        assertThat(settle(AskedLayout.ANY)).isEqualTo(new BucketLayout("rows", SMALL));
    }

    @Test
    void an_interrupt_ends_it_after_a_whole_chunk() {
        assertThatExceptionOfType(InterruptedException.class)
                .isThrownBy(() -> rows(SMALL)
                        .provision((done, all) -> Thread.currentThread().interrupt()));
        assertThat(count()).isEqualTo(1_000);
    }

    @Test
    void two_at_once_share_the_work() throws Exception {
        List<Provisioned> results = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Provisioned>> both = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                both.add(executor.submit(() -> rows(SMALL).provision((done, all) -> {})));
            }
            for (Future<Provisioned> each : both) {
                results.add(each.get());
            }
        }
        assertThat(results)
                .extracting(Provisioned::made)
                .satisfies(made -> assertThat(
                                made.stream().mapToLong(Long::longValue).sum())
                        .isEqualTo(5_000));
        assertThat(count()).isEqualTo(5_000);
    }

    @Test
    void another_layout_than_the_recorded_one_is_refused() throws Exception {
        rows(SMALL).provision((done, all) -> {});
        for (AskedLayout asked : List.of(
                asked(LockStrategy.ROWS, OTHER),
                asked(LockStrategy.ROWS, new BucketSpace(BucketHash.FNV1A_32, 2_500, 2)),
                asked(LockStrategy.ROWS, new BucketSpace(BucketHash.SHA256, 2_500, 3)),
                asked(LockStrategy.ADVISORY, SMALL))) {
            assertThatExceptionOfType(BucketSpaceException.class)
                    .isThrownBy(() -> settle(asked))
                    .withMessageContaining(database.place() + " are rows, 2 levels of 2500 buckets by sha256")
                    .withMessageContaining("requests " + asked.over(Optional.empty(), LockStrategy.ROWS));
            assertThatExceptionOfType(BucketSpaceException.class)
                    .isThrownBy(() -> provisioning(asked).provision((done, all) -> {}));
        }
        assertThat(rows(OTHER).check((done, all) -> {}).problems())
                .singleElement()
                .asString()
                .contains("are rows, 2 levels of 2500 buckets", "2 levels of 3000 buckets by sha256 is requested");
        assertThat(count()).isEqualTo(5_000);
    }

    @Test
    void rows_that_were_deleted_are_found_and_made_again() throws Exception {
        rows(SMALL).provision((done, all) -> {});
        database.execute("DELETE FROM %shier_lock_buckets".formatted(database.prefix())
                + " WHERE level = 0 AND bucket IN (0, 7, 8, 2499) OR level = 1 AND bucket >= 1000");
        BucketSpaceCheck check = rows(SMALL).check((done, all) -> {});
        assertThat(check.levels())
                .containsExactly(
                        new BucketSpaceCheck.Level(
                                0, 2_496, List.of(new Range(0, 0), new Range(7, 8), new Range(2_499, 2_499))),
                        new BucketSpaceCheck.Level(1, 1_000, List.of(new Range(1_000, 2_499))));
        assertThat(check.problems())
                .hasSize(2)
                .first()
                .asString()
                .startsWith("level 0 lacks 4 of 2500 buckets (0, 7 to 8, 2499), which were deleted");
        assertThat(rows(SMALL).provision((done, all) -> {}).made()).isEqualTo(1_504);
        assertThat(rows(SMALL).check((done, all) -> {}).isSound()).isTrue();
    }

    @Test
    void a_store_of_rows_asks_for_them_before_its_first_lock() {
        tables().ensure(true);
        assertThatExceptionOfType(BucketsNotProvisionedException.class)
                .isThrownBy(() -> settle(asked(LockStrategy.ROWS, SMALL)))
                .withMessageContaining(database.place() + " has no buckets")
                .withMessageContaining("./spream locks provision");
    }

    @Test
    void buckets_are_removed_only_while_none_is_held() throws Exception {
        rows(SMALL).provision((done, all) -> {});
        try (Connection holder = database.dataSource().getConnection();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.executeQuery("SELECT bucket FROM %shier_lock_buckets WHERE level = 0 AND bucket = 5 FOR UPDATE"
                    .formatted(database.prefix()));
            assertThatExceptionOfType(LockBusyException.class)
                    .isThrownBy(() -> rows(OTHER).clear())
                    .withMessageContaining("another session uses them");
            holder.rollback();
        }
        assertThat(settle(AskedLayout.ANY)).isEqualTo(new BucketLayout("rows", SMALL));
        BucketProvisioning deeper =
                provisioning(new AskedLayout(Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(3)));
        deeper.clear();
        assertThat(deeper.layout())
                .as("what is not asked for otherwise stays")
                .isEqualTo(new BucketLayout("rows", new BucketSpace(BucketHash.SHA256, 2_500, 3)));
        assertThat(rows(OTHER).provision((done, all) -> {}).made()).isEqualTo(6_000);
    }

    @Test
    void buckets_without_their_record_are_refused_until_rows_are_asked_for() throws Exception {
        rows(SMALL).provision((done, all) -> {});
        database.execute("DELETE FROM %shier_lock_space".formatted(database.prefix()));
        for (AskedLayout asked : List.of(AskedLayout.ANY, asked(LockStrategy.ROWS, SMALL))) {
            assertThatExceptionOfType(BucketSpaceException.class)
                    .isThrownBy(() -> settle(asked))
                    .withMessageContaining("has no record of their layout")
                    .withMessageContaining("--schema ");
            assertThat(provisioning(asked).check((done, all) -> {}).problems())
                    .singleElement()
                    .asString()
                    .contains("has no record of their layout");
        }
        assertThatExceptionOfType(BucketSpaceException.class)
                .isThrownBy(() -> provisioning(AskedLayout.ANY).provision((done, all) -> {}));
        rows(SMALL).provision((done, all) -> {});
        assertThat(settle(AskedLayout.ANY)).isEqualTo(new BucketLayout("rows", SMALL));
    }

    @Test
    void a_check_finds_tables_and_an_epoch_that_are_gone() throws Exception {
        rows(SMALL).provision((done, all) -> {});
        database.execute("DELETE FROM %shier_lock_epoch".formatted(database.prefix()));
        assertThat(rows(SMALL).check((done, all) -> {}).problems())
                .singleElement()
                .asString()
                .contains("above any that was assigned");
        database.execute("DROP TABLE %shier_lock_wait".formatted(database.prefix()));
        assertThat(rows(SMALL).check((done, all) -> {}).problems())
                .isNotEmpty()
                .allMatch(problem -> problem.contains("hier_lock_wait"));
    }

    @Test
    void a_check_of_nothing_changes_nothing() throws Exception {
        BucketSpaceCheck check = rows(SMALL).check((done, all) -> {});
        assertThat(check.place()).endsWith(", " + database.place());
        assertThat(check.recorded()).isEmpty();
        assertThat(check.problems()).singleElement().asString().startsWith(database.place() + " has no buckets");
        assertThat(tables().exist()).isFalse();
    }

    private static AskedLayout asked(LockStrategy strategy, BucketSpace space) {
        return AskedLayout.ANY.with(strategy).with(space);
    }

    final BucketProvisioning rows(BucketSpace space) {
        return provisioning(asked(LockStrategy.ROWS, space));
    }

    final JdbcBucketProvisioning provisioning(AskedLayout asked) {
        return JdbcBucketProvisioning.of(database.dataSource(), Optional.empty(), true, asked, CHUNK);
    }

    final BucketLayout settle(AskedLayout asked) {
        return new BucketSpaceTable(tables(), database.dataSource()).settle(asked);
    }

    private LockTables tables() {
        return BucketSpaceTable.tables(database.dataSource(), Optional.empty());
    }

    private long count() {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT count(*) FROM %shier_lock_buckets".formatted(database.prefix()))) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
