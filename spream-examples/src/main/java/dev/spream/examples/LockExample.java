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
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/** Deposits into an account under its lock, and then locks its user, and with it all accounts of the user. */
public final class LockExample {
    private LockExample() {}

    /** Takes the JDBC URL of a PostgreSQL database, and the number of seconds for which to lock the user. */
    public static void main(String[] args) throws SQLException, InterruptedException {
        try (HikariDataSource database = JdbcPool.open(args[0], Optional.empty(), Optional.empty())) {
            run(database, Duration.ofSeconds(args.length > 1 ? Long.parseLong(args[1]) : 0));
        }
    }

    static void run(DataSource database, Duration pause) throws SQLException, InterruptedException {
        createTable(database);
        try (JdbcLockStore store = JdbcLockStore.builder(database).build();
                HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store)) {
            System.out.println("u1/a1 has " + deposit(locks, LockTarget.account("u1", "a1"), 100));

            LockRequest user = LockRequest.exclusive(LockTarget.user("u1"));
            try (LockHandle handle = locks.acquire(user, LockWait.atMost(Duration.ofSeconds(5)))) {
                System.out.println("u1 and all its accounts are locked, fencing token " + handle.epoch());
                Thread.sleep(pause);
            }
        }
    }

    /** Reads the balance, writes the new one, and returns it; no other deposit changes the account meanwhile. */
    static long deposit(HierarchicalLocks<Connection> locks, LockTarget account, long amount)
            throws SQLException, InterruptedException {
        return locks.transact(LockRequest.exclusive(account), connection -> {
            long balance = balance(connection, account) + amount;
            try (PreparedStatement write = connection.prepareStatement("""
                    INSERT INTO lock_example VALUES (?, ?)
                    ON CONFLICT (account) DO UPDATE SET balance = excluded.balance""")) {
                write.setString(1, account.toString());
                write.setLong(2, balance);
                write.executeUpdate();
            }
            return balance;
        });
    }

    private static long balance(Connection connection, LockTarget account) throws SQLException {
        try (PreparedStatement read =
                connection.prepareStatement("SELECT balance FROM lock_example WHERE account = ?")) {
            read.setString(1, account.toString());
            try (ResultSet row = read.executeQuery()) {
                return row.next() ? row.getLong(1) : 0;
            }
        }
    }

    static void createTable(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement create = connection.createStatement()) {
            create.execute("CREATE TABLE IF NOT EXISTS lock_example (account text PRIMARY KEY, balance bigint)");
        }
    }
}
