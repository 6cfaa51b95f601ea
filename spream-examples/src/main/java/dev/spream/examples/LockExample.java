package dev.spream.examples;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockWait;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.jdbc.lock.JdbcLockStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/** A minimal program with hierarchical locks: a transaction that locks an account, and a handle that locks its user. */
public final class LockExample {
    private LockExample() {}

    /** Takes the JDBC URL of a PostgreSQL database. */
    public static void main(String[] args) throws SQLException, InterruptedException {
        if (args.length != 1) {
            System.err.println("usage: LockExample <JDBC URL>");
            System.exit(2);
        }
        try (HikariDataSource database = JdbcPool.open(args[0], Optional.empty(), Optional.empty())) {
            run(database);
        }
    }

    static void run(DataSource database) throws SQLException, InterruptedException {
        try (JdbcLockStore store = JdbcLockStore.builder(database).build();
                HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store)) {
            LockRequest account = LockRequest.exclusive(LockTarget.account("u1", "a1"));
            int rows = locks.transact(account, connection -> deposit(connection, "u1/a1", 100));
            System.out.println("accounts written: " + rows);

            LockRequest user = LockRequest.exclusive(LockTarget.user("u1"));
            try (LockHandle handle = locks.acquire(user, LockWait.atMost(Duration.ofSeconds(5)))) {
                System.out.println("u1 and all its accounts are locked, fencing token " + handle.epoch());
            }
        }
    }

    private static int deposit(Connection connection, String account, long amount) throws SQLException {
        try (Statement create = connection.createStatement();
                PreparedStatement write = connection.prepareStatement("""
                        INSERT INTO lock_example AS stored VALUES (?, ?)
                        ON CONFLICT (account) DO UPDATE SET balance = stored.balance + excluded.balance""")) {
            create.execute("CREATE TABLE IF NOT EXISTS lock_example (account text PRIMARY KEY, balance bigint)");
            write.setString(1, account);
            write.setLong(2, amount);
            return write.executeUpdate();
        }
    }
}
