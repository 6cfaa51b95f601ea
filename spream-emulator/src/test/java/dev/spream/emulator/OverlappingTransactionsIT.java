package dev.spream.emulator;

import static dev.spream.emulator.EmulatedSpanner.ACCOUNTS;
import static dev.spream.emulator.EmulatedSpanner.account;
import static dev.spream.emulator.EmulatedSpanner.rows;
import static dev.spream.emulator.EmulatedSpanner.texts;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.AbortedException;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ErrorCode;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Options;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.TransactionContext;
import com.google.cloud.spanner.TransactionManager;
import dev.spream.emulator.control.CommitLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of a client's transactions that are open at the same time. A transaction that waited for an idle one would do so
 * for ten seconds.
 */
@Timeout(60)
class OverlappingTransactionsIT {
    private static final String POSTGRES_ACCOUNTS =
            "CREATE TABLE \"Accounts\" (\"Id\" bigint NOT NULL PRIMARY KEY, \"Balance\" bigint)";

    private static EmulatedSpanner spanner;

    @BeforeAll
    static void start() {
        spanner = EmulatedSpanner.ours();
    }

    @AfterAll
    static void stop() {
        spanner.close();
    }

    private static DatabaseClient database(String... ddl) throws Exception {
        return spanner.connect(spanner.createDatabase(Dialect.GOOGLE_STANDARD_SQL, ddl));
    }

    private static DatabaseClient twoAccounts() throws Exception {
        DatabaseClient database = database(ACCOUNTS);
        database.write(List.of(account(1, "a", 10), account(2, "b", 20)));
        return database;
    }

    private static Mutation balance(long id, long balance) {
        return Mutation.newUpdateBuilder("Accounts")
                .set("Id")
                .to(id)
                .set("Balance")
                .to(balance)
                .build();
    }

    private static long read(TransactionContext transaction, long id) {
        return transaction.readRow("Accounts", Key.of(id), List.of("Balance")).getLong(0);
    }

    private static Statement add(long amount, long id) {
        return Statement.newBuilder("UPDATE Accounts SET Balance = Balance + @amount WHERE Id = @id")
                .bind("amount")
                .to(amount)
                .bind("id")
                .to(id)
                .build();
    }

    @Test
    @Timeout(8)
    void transactions_on_different_rows_read_write_and_commit_in_any_order() throws Exception {
        DatabaseClient database = twoAccounts();
        try (TransactionManager first = database.transactionManager();
                TransactionManager second = database.transactionManager()) {
            TransactionContext one = first.begin();
            TransactionContext two = second.begin();
            assertThat(read(one, 1)).isEqualTo(10);
            assertThat(rows(two.executeQuery(Statement.of("SELECT Balance FROM Accounts WHERE Id = 2"))))
                    .hasSize(1);
            assertThat(one.executeUpdate(add(1, 1))).isOne();
            assertThat(two.executeUpdate(add(2, 2))).isOne();
            assertThat(read(one, 1)).isEqualTo(11);
            one.executeUpdate(
                    Statement.of("INSERT INTO Accounts (Id, Balance) VALUES (3, 30), (4, 40) THEN RETURN Id"));
            two.buffer(account(5, "e", 50));
            second.commit();
            first.commit();
            assertThat(first.getCommitTimestamp()).isGreaterThan(second.getCommitTimestamp());
        }
        assertThat(texts(database, "SELECT Id, Balance FROM Accounts ORDER BY Id"))
                .containsExactly("1,11", "2,22", "3,30", "4,40", "5,50");
    }

    @Test
    @Timeout(8)
    void transactions_on_different_rows_do_not_wait_in_postgresql() throws Exception {
        DatabaseClient database = spanner.connect(spanner.createDatabase(Dialect.POSTGRESQL, POSTGRES_ACCOUNTS));
        database.write(List.of(
                Mutation.newInsertBuilder("Accounts")
                        .set("Id")
                        .to(1)
                        .set("Balance")
                        .to(10)
                        .build(),
                Mutation.newInsertBuilder("Accounts")
                        .set("Id")
                        .to(2)
                        .set("Balance")
                        .to(20)
                        .build()));
        String add = "UPDATE \"Accounts\" SET \"Balance\" = \"Balance\" + 1 WHERE \"Id\" = $1";
        try (TransactionManager first = database.transactionManager();
                TransactionManager second = database.transactionManager()) {
            TransactionContext one = first.begin();
            TransactionContext two = second.begin();
            one.executeUpdate(Statement.newBuilder(add).bind("p1").to(1).build());
            two.executeUpdate(Statement.newBuilder(add).bind("p1").to(2).build());
            second.commit();
            first.commit();
        }
        assertThat(texts(database, "SELECT \"Balance\" FROM \"Accounts\" ORDER BY \"Id\""))
                .containsExactly("11", "21");
    }

    @Test
    void of_two_transactions_that_read_and_write_one_row_the_second_to_commit_is_aborted() throws Exception {
        DatabaseClient database = twoAccounts();
        try (TransactionManager first = database.transactionManager();
                TransactionManager second = database.transactionManager()) {
            TransactionContext one = first.begin();
            TransactionContext two = second.begin();
            one.buffer(balance(1, read(one, 1) + 1));
            two.buffer(balance(1, read(two, 1) + 1));
            second.commit();
            assertThatThrownBy(first::commit)
                    .isInstanceOfSatisfying(
                            AbortedException.class,
                            aborted ->
                                    assertThat(aborted.getRetryDelayInMillis()).isPositive());
            TransactionContext again = first.resetForRetry();
            again.buffer(balance(1, read(again, 1) + 1));
            first.commit();
        }
        assertThat(texts(database, "SELECT Balance FROM Accounts WHERE Id = 1")).containsExactly("12");
    }

    @Test
    void a_writer_waits_for_the_one_that_has_written_the_row() throws Exception {
        DatabaseClient database = twoAccounts();
        try (TransactionManager first = database.transactionManager()) {
            TransactionContext one = first.begin();
            one.executeUpdate(add(1, 1));
            AtomicInteger attempts = new AtomicInteger();
            var statement = CompletableFuture.supplyAsync(() -> database.readWriteTransaction()
                    .run(transaction -> {
                        attempts.incrementAndGet();
                        return transaction.executeUpdate(add(100, 1));
                    }));
            var mutation = CompletableFuture.supplyAsync(
                    () -> database.writeAtLeastOnce(List.of(Mutation.newUpdateBuilder("Accounts")
                            .set("Id")
                            .to(1)
                            .set("Owner")
                            .to("z")
                            .build())));
            assertThatThrownBy(() -> mutation.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            assertThat(statement).isNotDone();
            first.commit();
            assertThat(mutation.get()).isGreaterThan(first.getCommitTimestamp());
            assertThat(statement.get()).isOne();
            assertThat(attempts).hasValue(1);
        }
        assertThat(texts(database, "SELECT Balance, Owner FROM Accounts WHERE Id = 1"))
                .containsExactly("111,z");
    }

    @Test
    void transactions_that_wait_for_each_other_end() throws Exception {
        DatabaseClient database = twoAccounts();
        try (TransactionManager first = database.transactionManager()) {
            TransactionContext one = first.begin();
            one.executeUpdate(add(1, 1));
            var opposite = CompletableFuture.supplyAsync(() -> database.readWriteTransaction()
                    .run(transaction -> transaction.executeUpdate(add(10, 2)) + transaction.executeUpdate(add(10, 1))));
            boolean committed = false;
            while (!committed) {
                try {
                    one.executeUpdate(add(1, 2));
                    first.commit();
                    committed = true;
                } catch (AbortedException e) {
                    one = first.resetForRetry();
                    one.executeUpdate(add(1, 1));
                }
            }
            assertThat(opposite.get()).isEqualTo(2);
        }
        assertThat(texts(database, "SELECT Balance FROM Accounts ORDER BY Id")).containsExactly("21", "31");
    }

    @Test
    void increments_of_one_counter_by_eight_threads_all_count() throws Exception {
        DatabaseClient database = twoAccounts();
        inThreads(8, thread -> {
            for (int i = 0; i < 10; i++) {
                int round = i;
                database.readWriteTransaction().run(transaction -> {
                    if (round % 2 == 0) {
                        transaction.buffer(balance(1, read(transaction, 1) + 1));
                    } else {
                        transaction.executeUpdate(add(1, 1));
                    }
                    return null;
                });
            }
        });
        assertThat(texts(database, "SELECT Balance FROM Accounts WHERE Id = 1")).containsExactly("90");
    }

    private static void inThreads(int count, IntConsumer work) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(count)) {
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < count; thread++) {
                int number = thread;
                done.add(threads.submit(() -> work.accept(number)));
            }
            for (Future<?> future : done) {
                future.get();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_decision_on_rows_that_another_transaction_changes_is_not_committed(Decision decision) throws Exception {
        DatabaseClient database = twoAccounts();
        try (TransactionManager first = database.transactionManager();
                TransactionManager second = database.transactionManager()) {
            TransactionContext one = first.begin();
            TransactionContext two = second.begin();
            assertThat(decision.balance(one)).isEqualTo(30);
            assertThat(decision.balance(two)).isEqualTo(30);
            one.buffer(balance(1, -20));
            two.buffer(balance(2, -10));
            first.commit();
            assertThatThrownBy(second::commit).isInstanceOf(AbortedException.class);
        }
        assertThat(texts(database, "SELECT SUM(Balance) FROM Accounts")).containsExactly("0");
    }

    /** A way to read both accounts. */
    private enum Decision {
        ROWS {
            @Override
            long balance(TransactionContext transaction) {
                return read(transaction, 1) + read(transaction, 2);
            }
        },
        RANGE {
            @Override
            long balance(TransactionContext transaction) {
                return rows(transaction.read("Accounts", KeySet.all(), List.of("Balance"))).stream()
                        .mapToLong(row -> row.getLong(0))
                        .sum();
            }
        },
        QUERY {
            @Override
            long balance(TransactionContext transaction) {
                return rows(transaction.executeQuery(Statement.of("SELECT SUM(a.Balance) FROM Accounts a")))
                        .getFirst()
                        .getLong(0);
            }
        },
        SUBQUERY {
            @Override
            long balance(TransactionContext transaction) {
                return rows(transaction.executeQuery(Statement.of("SELECT Balance + (SELECT Balance FROM Accounts"
                                + " WHERE Id = 2) FROM Accounts WHERE Id = 1")))
                        .getFirst()
                        .getLong(0);
            }
        };

        abstract long balance(TransactionContext transaction);
    }

    @Test
    void a_long_transaction_commits_although_others_change_what_it_reads_all_the_time() throws Exception {
        DatabaseClient database = twoAccounts();
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger writes = new AtomicInteger();
        var busy = CompletableFuture.runAsync(() -> {
            while (!done.get()) {
                database.writeAtLeastOnce(List.of(balance(2, writes.incrementAndGet())));
            }
        });
        AtomicInteger attempts = new AtomicInteger();
        database.readWriteTransaction().run(transaction -> {
            attempts.incrementAndGet();
            long sum = Decision.QUERY.balance(transaction);
            int seen = writes.get();
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
            while (writes.get() < seen + 2 && System.nanoTime() < end) {
                Thread.onSpinWait();
            }
            transaction.buffer(balance(1, sum));
            return null;
        });
        done.set(true);
        busy.get();
        assertThat(attempts).hasValueGreaterThan(1);
    }

    @Test
    void a_row_that_was_not_there_is_read_as_well() throws Exception {
        DatabaseClient database = twoAccounts();
        try (TransactionManager first = database.transactionManager()) {
            TransactionContext one = first.begin();
            assertThat(one.readRow("Accounts", Key.of(3), List.of("Id"))).isNull();
            database.write(List.of(account(3, "c", 30)));
            one.buffer(balance(1, 0));
            assertThatThrownBy(first::commit).isInstanceOf(AbortedException.class);
        }
    }

    @Test
    void a_child_and_the_deletion_of_its_parent_are_not_both_committed() throws Exception {
        DatabaseClient database = database(
                "CREATE TABLE Orders (Id INT64) PRIMARY KEY (Id)",
                "CREATE TABLE Lines (Id INT64, No INT64) PRIMARY KEY (Id, No), INTERLEAVE IN PARENT Orders",
                "CREATE TABLE Payments (No INT64, OrderId INT64,"
                        + " CONSTRAINT Paid FOREIGN KEY (OrderId) REFERENCES Orders (Id)) PRIMARY KEY (No)");
        for (String child : List.of(
                "INSERT INTO Lines (Id, No) VALUES (1, 1)", "INSERT INTO Payments (No, OrderId) VALUES (1, 1)")) {
            database.write(List.of(
                    Mutation.newInsertOrUpdateBuilder("Orders").set("Id").to(1).build()));
            try (TransactionManager first = database.transactionManager()) {
                TransactionContext one = first.begin();
                one.executeUpdate(Statement.of(child));
                database.write(List.of(Mutation.delete("Orders", Key.of(1))));
                assertThatThrownBy(first::commit).isInstanceOf(AbortedException.class);
                TransactionContext again = first.resetForRetry();
                assertThatThrownBy(() -> again.executeUpdate(Statement.of(child)))
                        .isInstanceOf(SpannerException.class)
                        .isNotInstanceOf(AbortedException.class);
            }
            database.write(
                    List.of(Mutation.newInsertBuilder("Orders").set("Id").to(1).build()));
            try (TransactionManager first = database.transactionManager()) {
                TransactionContext one = first.begin();
                one.executeUpdate(Statement.of("DELETE FROM Orders WHERE Id = 1"));
                database.readWriteTransaction().run(transaction -> transaction.executeUpdate(Statement.of(child)));
                assertThatThrownBy(first::commit).isInstanceOf(AbortedException.class);
            }
            database.write(List.of(
                    Mutation.delete("Lines", KeySet.all()),
                    Mutation.delete("Payments", KeySet.all()),
                    Mutation.delete("Orders", KeySet.all())));
        }
    }

    @Test
    void a_transaction_learns_of_what_was_committed_meanwhile_as_aborted_not_as_another_error() throws Exception {
        DatabaseClient database = twoAccounts();
        try (TransactionManager first = database.transactionManager()) {
            TransactionContext one = first.begin();
            assertThat(read(one, 1)).isEqualTo(10);
            database.write(List.of(account(3, "c", 30)));
            Statement insert = Statement.of("INSERT INTO Accounts (Id) VALUES (3)");
            assertThatThrownBy(() -> one.executeUpdate(insert)).isInstanceOf(AbortedException.class);
            TransactionContext again = first.resetForRetry();
            assertThatThrownBy(() -> again.executeUpdate(insert))
                    .isInstanceOfSatisfying(
                            SpannerException.class,
                            e -> assertThat(e.getErrorCode()).isEqualTo(ErrorCode.ALREADY_EXISTS));
        }
    }

    @Test
    void a_schema_change_waits_for_open_transactions() throws Exception {
        DatabaseId id = spanner.createDatabase(Dialect.GOOGLE_STANDARD_SQL, ACCOUNTS);
        DatabaseClient database = spanner.connect(id);
        database.write(List.of(account(1, "a", 10)));
        try (TransactionManager first = database.transactionManager()) {
            TransactionContext one = first.begin();
            one.executeUpdate(add(1, 1));
            var altered = CompletableFuture.runAsync(() -> {
                try {
                    spanner.alter(id, "ALTER TABLE Accounts ADD COLUMN Note STRING(MAX)");
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(read(one, 1)).isEqualTo(11);
            first.commit();
            altered.get();
        }
        assertThat(texts(database, "SELECT Balance, Note FROM Accounts")).containsExactly("11,null");
    }

    @Test
    void changes_of_transactions_that_overlap_are_streamed_in_commit_order_and_whole() throws Exception {
        DatabaseId id =
                spanner.createDatabase(Dialect.GOOGLE_STANDARD_SQL, ACCOUNTS, "CREATE CHANGE STREAM Changes FOR ALL");
        DatabaseClient database = spanner.connect(id);
        Timestamp start = database.write(IntStream.rangeClosed(1, 9)
                .mapToObj(row -> account(row, "a", 0))
                .toList());
        CommitLog log = spanner.recordCommits(id);
        inThreads(4, thread -> {
            for (int i = 0; i < 10; i++) {
                int shared = 1 + i % 5;
                database.readWriteTransaction(Options.tag("thread-" + thread)).run(transaction -> {
                    transaction.executeUpdate(add(1, 6 + thread));
                    transaction.executeUpdate(add(1, shared));
                    return null;
                });
            }
        });
        List<String> committed = log.rows().stream()
                .map(row -> requireNonNull(row.row().get("Id")).getStringValue() + "="
                        + requireNonNull(row.row().get("Balance")).getStringValue())
                .toList();
        assertThat(committed).hasSize(80).doesNotHaveDuplicates();
        assertThat(log.rows()).extracting(CommitLog.CommittedRow::timestamp).isSorted();
        Timestamp end = database.write(List.of(account(10, "z", 0)));
        List<String> streamed = StreamedMods.of(database, "Changes", start, end);
        assertThat(streamed)
                .filteredOn(mod -> mod.contains("UPDATE"))
                .hasSize(80)
                .doesNotHaveDuplicates();
        for (int row = 1; row <= 9; row++) {
            String key = "{\"Id\":\"%d\"}".formatted(row);
            assertThat(streamed)
                    .filteredOn(mod -> mod.contains("UPDATE") && mod.contains(key))
                    .as("changes of row %d", row)
                    .hasSize(row <= 5 ? 8 : 10)
                    .satisfies(mods -> {
                        for (int change = 0; change < mods.size(); change++) {
                            assertThat(mods.get(change)).contains("\"Balance\":\"%d\"".formatted(change + 1));
                        }
                    });
        }
    }
}
