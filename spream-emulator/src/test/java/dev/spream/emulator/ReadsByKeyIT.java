package dev.spream.emulator;

import static dev.spream.emulator.EmulatedSpanner.ACCOUNTS;
import static dev.spream.emulator.EmulatedSpanner.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.spanner.AbortedException;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.TransactionContext;
import com.google.cloud.spanner.TransactionManager;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of read-write transactions that read rows by their keys, as Apache Beam's change stream reader does. It repeats an
 * aborted commit for most of a minute before it repeats the transaction, so that it needs a server that seldom aborts.
 */
@Timeout(60)
class ReadsByKeyIT {
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

    private static Mutation account(long id, long balance) {
        return Mutation.newInsertOrUpdateBuilder("Accounts")
                .set("Id")
                .to(id)
                .set("Balance")
                .to(balance)
                .build();
    }

    private static DatabaseClient accounts(Dialect dialect, int count) throws Exception {
        String ddl = dialect == Dialect.POSTGRESQL ? POSTGRES_ACCOUNTS : ACCOUNTS;
        DatabaseClient database = spanner.connect(spanner.createDatabase(dialect, ddl));
        for (int id = 1; id <= count; id++) {
            database.write(List.of(account(id, 10)));
        }
        return database;
    }

    /** Queries of the accounts 1 and 2. */
    private static List<Statement> lists(Dialect dialect) {
        return switch (dialect) {
            case GOOGLE_STANDARD_SQL ->
                List.of(
                        Statement.of("SELECT Id FROM Accounts WHERE Id IN (1, 2) AND Balance = 10"),
                        withArray("SELECT Id FROM Accounts WHERE Id IN UNNEST(@p1) AND Balance = 10"));
            case POSTGRESQL ->
                List.of(
                        Statement.of("SELECT \"Id\" FROM \"Accounts\" WHERE \"Balance\" = 10 AND \"Id\""
                                + " = ANY (Array[1,2])"),
                        withArray("SELECT \"Id\" FROM \"Accounts\" WHERE \"Id\" = ANY ($1) AND \"Balance\" = 10"));
        };
    }

    private static Statement withArray(String sql) {
        return Statement.newBuilder(sql)
                .bind("p1")
                .toInt64Array(List.of(1L, 2L))
                .build();
    }

    /** Commits a transaction that has run the query, after another one has changed an account. */
    private static void commitAfterChange(DatabaseClient database, Statement query, long changed) {
        try (TransactionManager manager = database.transactionManager()) {
            TransactionContext transaction = manager.begin();
            assertThat(rows(transaction.executeQuery(query))).hasSize(2);
            database.write(List.of(account(changed, 10)));
            transaction.buffer(account(1, 10));
            manager.commit();
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_query_by_a_list_of_keys_reads_their_rows_alone(Dialect dialect) throws Exception {
        DatabaseClient database = accounts(dialect, 3);
        for (Statement query : lists(dialect)) {
            commitAfterChange(database, query, 3);
            assertThatThrownBy(() -> commitAfterChange(database, query, 2)).isInstanceOf(AbortedException.class);
        }
    }

    /** As readers of two partitions that merge, which both add the merged one if it is not there. */
    @Test
    void two_transactions_that_add_a_row_if_it_is_not_there_are_seldom_aborted() throws Exception {
        DatabaseClient database = accounts(Dialect.GOOGLE_STANDARD_SQL, 0);
        int rows = 40;
        AtomicInteger attempts = new AtomicInteger();
        CyclicBarrier bothReady = new CyclicBarrier(2);
        Runnable adder = () -> {
            for (int id = 1; id <= rows; id++) {
                await(bothReady);
                addIfMissing(database, id, attempts);
            }
        };
        CompletableFuture.allOf(CompletableFuture.runAsync(adder), CompletableFuture.runAsync(adder))
                .get();
        assertThat(attempts.get() - 2 * rows).as("aborted attempts").isLessThan(rows / 4);
    }

    private static void addIfMissing(DatabaseClient database, long id, AtomicInteger attempts) {
        database.readWriteTransaction().run(transaction -> {
            attempts.incrementAndGet();
            if (transaction.readRow("Accounts", Key.of(id), List.of("Id")) == null) {
                transaction.buffer(account(id, 10));
            }
            return null;
        });
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void a_transaction_does_not_wait_for_the_end_of_another_that_looks_for_the_same_row() throws Exception {
        DatabaseClient database = accounts(Dialect.GOOGLE_STANDARD_SQL, 0);
        try (TransactionManager first = database.transactionManager();
                TransactionManager second = database.transactionManager()) {
            TransactionContext one = first.begin();
            TransactionContext two = second.begin();
            assertThat(one.readRow("Accounts", Key.of(3), List.of("Id"))).isNull();
            assertThat(two.readRow("Accounts", Key.of(3), List.of("Id"))).isNull();
            two.buffer(account(3, 30));
            second.commit();
            one.buffer(account(3, 40));
            assertThatThrownBy(first::commit).isInstanceOf(AbortedException.class);
        }
    }

    /** Two transactions that read both accounts and withdraw from one each, if both have enough together. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Id IN (1, 2)",
                "Id IN (2, 1, 2, 1)",
                "Id IN (1, NULL, 2)",
                "Id NOT IN (3, 4)",
                "Id IN UNNEST(@p1)",
                "Id IN (1) OR Id = 2",
                "Id IN (1, 2) OR Balance = 7",
                "Id IN (SELECT Id FROM Accounts WHERE Id IN (1, 2))",
                "Id IN (1, 1 + 1)",
                "NOT (Id IN (3))",
                "(Id IN (1)) IN (TRUE, FALSE)",
                "Balance IN (10) AND Balance = 10"
            })
    void of_two_transactions_that_read_what_the_other_writes_one_is_aborted(String condition) throws Exception {
        DatabaseClient database = accounts(Dialect.GOOGLE_STANDARD_SQL, 2);
        Statement query = withArray("SELECT Balance FROM Accounts WHERE " + condition);
        try (TransactionManager first = database.transactionManager();
                TransactionManager second = database.transactionManager()) {
            TransactionContext one = first.begin();
            TransactionContext two = second.begin();
            assertThat(rows(one.executeQuery(query))).hasSize(2);
            assertThat(rows(two.executeQuery(query))).hasSize(2);
            one.buffer(account(1, -5));
            two.buffer(account(2, -5));
            first.commit();
            assertThatThrownBy(second::commit).isInstanceOf(AbortedException.class);
        }
    }

    @Test
    void a_transaction_ends_beside_one_that_its_client_left_open() throws Exception {
        DatabaseClient database = accounts(Dialect.GOOGLE_STANDARD_SQL, 0);
        try (TransactionManager left = database.transactionManager()) {
            assertThat(left.begin().readRow("Accounts", Key.of(1), List.of("Id")))
                    .isNull();
            CompletableFuture<?>[] others = IntStream.rangeClosed(1, 8)
                    .mapToObj(each -> CompletableFuture.runAsync(() -> addIfMissing(database, 1, new AtomicInteger())))
                    .toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(others).get();
        }
        assertThat(rows(database.singleUse().executeQuery(Statement.of("SELECT Id FROM Accounts"))))
                .hasSize(1);
    }

    @Test
    void a_query_by_ten_thousand_keys_reads_their_rows_alone() throws Exception {
        DatabaseClient database = accounts(Dialect.GOOGLE_STANDARD_SQL, 2);
        Statement query = Statement.newBuilder("SELECT Id FROM Accounts WHERE Id IN UNNEST(@ids)")
                .bind("ids")
                .toInt64Array(LongStream.rangeClosed(1, 10_000).toArray())
                .build();
        commitAfterChange(database, query, 10_001);
        assertThatThrownBy(() -> commitAfterChange(database, query, 2)).isInstanceOf(AbortedException.class);
    }
}
