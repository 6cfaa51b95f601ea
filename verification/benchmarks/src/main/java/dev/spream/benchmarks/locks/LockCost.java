package dev.spream.benchmarks.locks;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Postgres;
import dev.spream.benchmarks.locks.LockRate.NamedLocks;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.provisioning.BucketProvisioning;
import dev.spream.lock.provisioning.BucketProvisioning.Provisioned;
import dev.spream.storage.jdbc.lock.JdbcLockStore;
import dev.spream.storage.jdbc.lock.LockStrategy;
import java.sql.Connection;
import java.util.List;

/** The cost of hierarchical locks: provisioning, acquisition of free locks, and waiting. */
public final class LockCost {
    private static final int HANDLES = 8;

    private LockCost() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        onPostgres();
        onMariaDb();
    }

    private static void onPostgres() throws Exception {
        try (Postgres postgres = new Postgres();
                HikariDataSource database = Postgres.pool(postgres.url(), HANDLES + 4)) {
            JdbcLockStore.Builder rows = JdbcLockStore.builder(database)
                    .schema("public")
                    .strategy(LockStrategy.ROWS)
                    .handles(HANDLES);
            provision("PostgreSQL", rows);
            try (JdbcLockStore advisoryStore =
                            JdbcLockStore.builder(database).handles(HANDLES).build();
                    JdbcLockStore rowStore = rows.build();
                    HierarchicalLocks<Connection> advisory = HierarchicalLocks.over(advisoryStore);
                    HierarchicalLocks<Connection> row = HierarchicalLocks.over(rowStore)) {
                NamedLocks advisoryLocks = new NamedLocks("advisory", advisory);
                NamedLocks rowLocks = new NamedLocks("rows", row);
                LockRate rate = new LockRate(database);
                rate.compare(
                        "three levels in PostgreSQL by advisory locks",
                        List.of(BareLocks.ADVISORY_AT_ONCE, BareLocks.ADVISORY_ONE_BY_ONE),
                        List.of(advisoryLocks));
                rate.compare(
                        "three levels in PostgreSQL by rows",
                        List.of(BareLocks.ROWS, BareLocks.ADVISORY_AT_ONCE),
                        List.of(rowLocks));
                for (NamedLocks locks : List.of(advisoryLocks, rowLocks)) {
                    LockWaits.hotAccounts(locks);
                    LockWaits.writerBesideReaders(locks);
                }
            }
        }
    }

    private static void onMariaDb() throws Exception {
        try (MariaDb mariaDb = new MariaDb();
                HikariDataSource database = Postgres.pool(mariaDb.url(), HANDLES + 4)) {
            JdbcLockStore.Builder rows = JdbcLockStore.builder(database).handles(HANDLES);
            provision("MariaDB", rows);
            try (JdbcLockStore store = rows.build();
                    HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store)) {
                NamedLocks named = new NamedLocks("rows in MariaDB", locks);
                new LockRate(database)
                        .compare("three levels in MariaDB by rows", List.of(BareLocks.MARIADB_ROWS), List.of(named));
                LockWaits.hotAccounts(named);
                LockWaits.writerBesideReaders(named);
            }
        }
    }

    private static void provision(String database, JdbcLockStore.Builder store) throws InterruptedException {
        long startedAt = System.nanoTime();
        try (BucketProvisioning provisioning = store.provisioning()) {
            Provisioned provisioned = provisioning.provision((done, all) -> {});
            double seconds = (System.nanoTime() - startedAt) / 1e9;
            System.out.printf(
                    "%nprovisioning in %s: %,d rows in %.1f s, %,.0f rows/s%n",
                    database, provisioned.made(), seconds, provisioned.made() / seconds);
        }
    }
}
