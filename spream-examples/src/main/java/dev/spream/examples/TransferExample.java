package dev.spream.examples;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockException;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.jdbc.lock.JdbcLockStore;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;

/**
 * Several processes move money between accounts. Each reads two balances, computes the new ones in Java and writes
 * them. Without locks they overwrite each other's writes, and money appears and disappears; with the two accounts
 * locked for the time of the transaction, the sum stays the same.
 */
public final class TransferExample {
    private static final int USERS = 3;
    private static final int ACCOUNTS_OF_USER = 2;
    private static final long FIRST_BALANCE = 1_000;

    private TransferExample() {}

    /**
     * Takes the JDBC URL of a PostgreSQL, MySQL or MariaDB database, and optionally the number of processes and of
     * their transfers.
     */
    public static void main(String[] args) throws Exception {
        int processes = count(args, 1, 4);
        int transfers = count(args, 2, 500);
        if (args.length < 1 || processes < 1 || transfers < 1) {
            System.err.println("usage: TransferExample <JDBC URL> [<processes> <transfers of each>]");
            System.exit(2);
        }
        try {
            compare(args[0], processes, transfers);
        } catch (IllegalStateException e) { // the process has printed the reason
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    /** Returns the number at the index, or 0 if it is not a number. */
    private static int count(String[] args, int index, int byDefault) {
        try {
            return args.length > index ? Integer.parseInt(args[index]) : byDefault;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static void compare(String url, int processes, int transfers)
            throws SQLException, IOException, InterruptedException {
        Outcome without = run(url, processes, transfers, false);
        Outcome with = run(url, processes, transfers, true);
        print(System.out, without, with);
        System.exit(with.lostWrites() == 0 && with.moneyAfter() == with.moneyBefore() ? 0 : 1);
    }

    static void print(PrintStream out, Outcome without, Outcome with) {
        out.println("without locks: " + without);
        out.println("with locks:    " + with);
    }

    /** Starts the processes on accounts of their own, and reads the accounts when all have ended. */
    static Outcome run(String url, int processes, int transfers, boolean locked)
            throws SQLException, IOException, InterruptedException {
        try (HikariDataSource database = JdbcPool.open(url, Optional.empty(), Optional.empty())) {
            createAccounts(database);
            List<Process> running = new ArrayList<>();
            for (int i = 0; i < processes; i++) {
                running.add(start(url, transfers, locked));
            }
            try {
                for (Process process : running) { // all processes are ready before the first begins
                    if (process.inputReader().readLine() == null) {
                        requireSuccess(process);
                    }
                }
                for (Process process : running) {
                    process.outputWriter().append("begin\n").flush();
                }
                for (Process process : running) {
                    requireSuccess(process);
                }
            } finally {
                running.forEach(Process::destroy);
            }
            return outcome(database, (long) processes * transfers);
        }
    }

    private static void requireSuccess(Process process) throws InterruptedException {
        if (process.waitFor() != 0) {
            throw new IllegalStateException("a process failed with exit code " + process.exitValue());
        }
    }

    private static Process start(String url, int transfers, boolean locked) throws IOException {
        return new ProcessBuilder(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-XX:+UseSerialGC", // sufficient for a run of some seconds
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Worker.class.getName(),
                        url,
                        Integer.toString(transfers),
                        Boolean.toString(locked))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** The main class of each process. */
    static final class Worker {
        private Worker() {}

        public static void main(String[] args) throws Exception {
            int transfers = Integer.parseInt(args[1]);
            boolean locked = Boolean.parseBoolean(args[2]);
            try {
                transfer(args[0], transfers, locked);
            } catch (LockException e) { // for example because of missing buckets
                System.err.println("a process could not lock: " + e.getMessage());
                System.exit(1);
            }
        }

        private static void transfer(String url, int transfers, boolean locked) throws Exception {
            try (HikariDataSource database = JdbcPool.open(url, Optional.empty(), Optional.empty());
                    JdbcLockStore store = JdbcLockStore.builder(database).build();
                    HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store)) {
                System.out.println("ready");
                System.in.read();
                for (int i = 0; i < transfers; i++) {
                    Transfer transfer = Transfer.random();
                    if (locked) {
                        moveLocked(locks, transfer);
                    } else {
                        moveUnlocked(database, transfer);
                    }
                }
            }
        }
    }

    /** Runs the locks and the writes in one transaction: every writer holds the locks. */
    static void moveLocked(HierarchicalLocks<Connection> locks, Transfer transfer)
            throws SQLException, InterruptedException {
        LockRequest bothAccounts = LockRequest.exclusive(transfer.from(), transfer.to());
        locks.transact(bothAccounts, connection -> {
            move(connection, transfer);
            return transfer.amount();
        });
    }

    private static void moveUnlocked(DataSource database, Transfer transfer) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            move(connection, transfer);
            connection.commit();
        }
    }

    /** Writes the accounts in the order of their names, so that transfers without locks lose money but do not deadlock. */
    private static void move(Connection connection, Transfer transfer) throws SQLException {
        Account from = Account.read(connection, transfer.from());
        Account to = Account.read(connection, transfer.to());
        List<Account> changed = new ArrayList<>(List.of(from.plus(-transfer.amount()), to.plus(transfer.amount())));
        changed.sort(Comparator.comparing(Account::name));
        for (Account account : changed) {
            account.write(connection);
        }
    }

    private record Account(String name, long balance, long transfers) {
        static Account read(Connection connection, LockTarget account) throws SQLException {
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT name, balance, transfers FROM transfer_example WHERE name = ?")) {
                select.setString(1, account.toString());
                try (ResultSet row = select.executeQuery()) {
                    row.next();
                    return new Account(row.getString(1), row.getLong(2), row.getLong(3));
                }
            }
        }

        Account plus(long amount) {
            return new Account(name, balance + amount, transfers + 1);
        }

        void write(Connection connection) throws SQLException {
            try (PreparedStatement update = connection.prepareStatement(
                    "UPDATE transfer_example SET balance = ?, transfers = ? WHERE name = ?")) {
                update.setLong(1, balance);
                update.setLong(2, transfers);
                update.setString(3, name);
                update.executeUpdate();
            }
        }
    }

    record Transfer(LockTarget from, LockTarget to, long amount) {
        static Transfer random() {
            RandomGenerator random = RandomGenerator.getDefault();
            List<LockTarget> accounts = accounts();
            LockTarget from = accounts.remove(random.nextInt(accounts.size()));
            LockTarget to = accounts.get(random.nextInt(accounts.size()));
            return new Transfer(from, to, random.nextLong(1, 100));
        }
    }

    /**
     * The result of the transfers.
     *
     * @param lostWrites the number of balances that a writer overwrote without having read them
     */
    record Outcome(long transfers, long moneyBefore, long moneyAfter, long lostWrites) {
        @Override
        public String toString() {
            return "%,d transfers; the accounts had %,d and have %,d now; %,d writes were lost"
                    .formatted(transfers, moneyBefore, moneyAfter, lostWrites);
        }
    }

    private static List<LockTarget> accounts() {
        List<LockTarget> accounts = new ArrayList<>();
        for (int user = 1; user <= USERS; user++) {
            for (int account = 1; account <= ACCOUNTS_OF_USER; account++) {
                accounts.add(LockTarget.account("u" + user, "a" + account));
            }
        }
        return accounts;
    }

    private static void createAccounts(DataSource database) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS transfer_example");
            statement.execute("CREATE TABLE transfer_example (name VARCHAR(100) PRIMARY KEY, balance BIGINT NOT NULL,"
                    + " transfers BIGINT NOT NULL)");
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO transfer_example VALUES (?, ?, 0)")) {
                for (LockTarget account : accounts()) {
                    insert.setString(1, account.toString());
                    insert.setLong(2, FIRST_BALANCE);
                    insert.executeUpdate();
                }
            }
        }
    }

    private static Outcome outcome(DataSource database, long transfers) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT SUM(balance), SUM(transfers) FROM transfer_example")) {
            row.next();
            return new Outcome(
                    transfers, accounts().size() * FIRST_BALANCE, row.getLong(1), 2 * transfers - row.getLong(2));
        }
    }
}
