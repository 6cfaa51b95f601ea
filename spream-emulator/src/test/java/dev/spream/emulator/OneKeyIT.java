package dev.spream.emulator;

import static dev.spream.emulator.EmulatedSpanner.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.spanner.AbortedException;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.TransactionContext;
import com.google.cloud.spanner.TransactionManager;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of open transactions that add or remove one unique key: of a table, or of a unique index. */
@Timeout(30)
class OneKeyIT {
    private static final int THREADS = 6;
    private static final int ROUNDS = 2;

    private static EmulatedSpanner spanner;

    @BeforeAll
    static void start() {
        spanner = EmulatedSpanner.ours();
    }

    @AfterAll
    static void stop() {
        spanner.close();
    }

    /** Tables with a key of an integer, which the engine numbers rows by, and of a text. */
    private static DatabaseClient database() throws Exception {
        return spanner.connect(spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Numbers (Id INT64 NOT NULL, Code STRING(MAX), Thread INT64) PRIMARY KEY (Id)",
                "CREATE UNIQUE INDEX CodesOfNumbers ON Numbers (Code)",
                "CREATE TABLE Names (Id STRING(MAX) NOT NULL, Code STRING(MAX), Thread INT64) PRIMARY KEY (Id)",
                "CREATE UNIQUE INDEX CodesOfNames ON Names (Code)",
                "CREATE TABLE Log (Round INT64 NOT NULL, Thread INT64 NOT NULL) PRIMARY KEY (Round, Thread)"));
    }

    /** The work of a thread in a round; the threads of a round have one key in common. */
    private interface Work {
        void in(TransactionContext transaction, int round, int thread);
    }

    private static void insert(TransactionContext transaction, String table, String id, String code, int thread) {
        transaction.executeUpdate(Statement.of(
                "INSERT INTO %s (Id, Code, Thread) VALUES (%s, '%s', %d)".formatted(table, id, code, thread)));
    }

    private static void log(TransactionContext transaction, int round, int thread) {
        transaction.executeUpdate(
                Statement.of("INSERT INTO Log (Round, Thread) VALUES (%d, %d)".formatted(round, thread)));
    }

    private static Mutation row(Mutation.WriteBuilder write, Object id, Object code, int thread) {
        return write.set("Id")
                .to("" + id)
                .set("Code")
                .to("" + code)
                .set("Thread")
                .to(thread)
                .build();
    }

    private static int own(int round, int thread) {
        return (round + 1) * 100 + thread;
    }

    private enum Insert implements Work {
        DML_OF_A_NUMBER {
            @Override
            public void in(TransactionContext transaction, int round, int thread) {
                insert(transaction, "Numbers", "" + round, "" + own(round, thread), thread);
                log(transaction, round, thread);
            }
        },
        DML_OF_A_NAME {
            @Override
            public void in(TransactionContext transaction, int round, int thread) {
                insert(transaction, "Names", "'%d'".formatted(round), "" + own(round, thread), thread);
                log(transaction, round, thread);
            }
        },
        DML_OF_AN_INDEXED_CODE_AFTER_ANOTHER_STATEMENT {
            @Override
            public void in(TransactionContext transaction, int round, int thread) {
                log(transaction, round, thread);
                insert(transaction, "Names", "'%d'".formatted(own(round, thread)), "" + round, thread);
            }
        },
        MUTATION_OF_A_NAME {
            @Override
            public void in(TransactionContext transaction, int round, int thread) {
                transaction.buffer(row(Mutation.newInsertBuilder("Names"), round, own(round, thread), thread));
            }
        },
        MUTATION_OF_AN_INDEXED_CODE {
            @Override
            public void in(TransactionContext transaction, int round, int thread) {
                transaction.buffer(row(Mutation.newInsertBuilder("Names"), own(round, thread), round, thread));
            }
        },
        EITHER_BY_DML_OR_BY_MUTATION {
            @Override
            public void in(TransactionContext transaction, int round, int thread) {
                (thread % 2 == 0 ? DML_OF_A_NAME : MUTATION_OF_A_NAME).in(transaction, round, thread);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void one_of_six_inserts_succeeds_and_the_others_fail_with_already_exists(Insert insert) throws Exception {
        DatabaseClient database = database();
        for (int round = 0; round < ROUNDS; round++) {
            assertThat(outcomes(database, round, insert))
                    .as("outcomes of round %d", round)
                    .containsOnly("OK", "ALREADY_EXISTS")
                    .containsOnlyOnce("OK");
        }
    }

    private static List<String> outcomes(DatabaseClient database, int round, Work work) {
        CyclicBarrier together = new CyclicBarrier(THREADS);
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            return IntStream.range(0, THREADS)
                    .mapToObj(thread -> CompletableFuture.supplyAsync(
                            () -> {
                                try {
                                    together.await();
                                    database.readWriteTransaction().run(transaction -> {
                                        work.in(transaction, round, thread);
                                        return null;
                                    });
                                    return "OK";
                                } catch (SpannerException e) {
                                    return e.getErrorCode().name();
                                } catch (Exception e) {
                                    throw new IllegalStateException(e);
                                }
                            },
                            threads))
                    .toList()
                    .stream()
                    .map(CompletableFuture::join)
                    .toList();
        }
    }

    private enum Write implements Work {
        UPSERT {
            @Override
            public void in(TransactionContext transaction, int round, int thread) {
                transaction.buffer(row(Mutation.newInsertOrUpdateBuilder("Names"), round, own(round, thread), thread));
            }
        },
        REPLACE {
            @Override
            public void in(TransactionContext transaction, int round, int thread) {
                transaction.buffer(row(Mutation.newReplaceBuilder("Names"), round, own(round, thread), thread));
            }
        },
        DELETE_AND_INSERT {
            @Override
            public void in(TransactionContext transaction, int round, int thread) {
                transaction.buffer(Mutation.delete("Names", Key.of("" + round)));
                transaction.buffer(row(Mutation.newInsertBuilder("Names"), round, own(round, thread), thread));
            }
        },
        DELETE_AND_INSERT_BY_DML {
            @Override
            public void in(TransactionContext transaction, int round, int thread) {
                transaction.executeUpdate(Statement.of("DELETE FROM Names WHERE Id = '%d'".formatted(round)));
                insert(transaction, "Names", "'%d'".formatted(round), "" + own(round, thread), thread);
            }
        },
        UPSERT_BY_DML {
            @Override
            public void in(TransactionContext transaction, int round, int thread) {
                transaction.executeUpdate(
                        Statement.of("INSERT OR UPDATE INTO Names (Id, Code, Thread) VALUES ('%d', '%d', %d)"
                                .formatted(round, own(round, thread), thread)));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void six_writes_of_a_row_that_is_new_and_then_is_there_all_succeed(Write write) throws Exception {
        DatabaseClient database = database();
        for (int time = 0; time < 2 * ROUNDS; time++) {
            assertThat(outcomes(database, time / 2, write))
                    .as("outcomes of write %d", time)
                    .isEqualTo(Collections.nCopies(THREADS, "OK"));
        }
        assertThat(texts(database, "SELECT COUNT(*) FROM Names")).containsExactly("" + ROUNDS);
    }

    @Test
    @Timeout(8)
    void transactions_that_insert_different_keys_do_not_wait() throws Exception {
        DatabaseClient database = database();
        try (TransactionManager first = database.transactionManager()) {
            insert(first.begin(), "Names", "'a'", "x", 1);
            database.readWriteTransaction().run(transaction -> {
                insert(transaction, "Names", "'b'", "y", 2);
                return null;
            });
            first.commit();
        }
        assertThat(texts(database, "SELECT Id FROM Names ORDER BY Id")).containsExactly("a", "b");
    }

    @Test
    void an_insert_of_the_key_that_another_transaction_inserts_waits_for_its_end() throws Exception {
        DatabaseClient database = database();
        try (TransactionManager first = database.transactionManager()) {
            insert(first.begin(), "Names", "'a'", "x", 1);
            var second = CompletableFuture.supplyAsync(
                    () -> database.writeAtLeastOnce(List.of(row(Mutation.newInsertBuilder("Names"), "b", "x", 2))));
            assertThatThrownBy(() -> second.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            first.rollback();
            second.get();
        }
        assertThat(texts(database, "SELECT Id FROM Names")).containsExactly("b");
    }

    @Test
    void an_update_to_the_code_that_another_transaction_removes_waits_for_its_end() throws Exception {
        DatabaseClient database = database();
        database.write(List.of(
                row(Mutation.newInsertBuilder("Names"), "a", "x", 1),
                row(Mutation.newInsertBuilder("Names"), "b", "y", 1)));
        try (TransactionManager first = database.transactionManager()) {
            first.begin().executeUpdate(Statement.of("UPDATE Names SET Code = 'z' WHERE Id = 'a'"));
            var second = CompletableFuture.supplyAsync(() -> database.readWriteTransaction()
                    .run(transaction ->
                            transaction.executeUpdate(Statement.of("UPDATE Names SET Code = 'x' WHERE Id = 'b'"))));
            assertThatThrownBy(() -> second.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            first.commit();
            assertThat(second.get()).isOne();
        }
        assertThat(texts(database, "SELECT Id, Code FROM Names ORDER BY Id")).containsExactly("a,z", "b,x");
    }

    @Test
    void transactions_that_wait_for_a_key_and_a_row_of_each_other_end() throws Exception {
        DatabaseClient database = database();
        database.write(List.of(row(Mutation.newInsertBuilder("Names"), "a", "x", 1)));
        Statement update = Statement.of("UPDATE Names SET Thread = Thread + 1 WHERE Id = 'a'");
        Statement insert = Statement.of("INSERT OR UPDATE INTO Names (Id, Code) VALUES ('b', 'y')");
        try (TransactionManager first = database.transactionManager()) {
            TransactionContext one = first.begin();
            one.executeUpdate(insert);
            CountDownLatch updated = new CountDownLatch(1);
            var opposite = CompletableFuture.supplyAsync(
                    () -> database.readWriteTransaction().run(transaction -> {
                        long rows = transaction.executeUpdate(update);
                        updated.countDown();
                        return rows + transaction.executeUpdate(insert);
                    }));
            updated.await();
            boolean committed = false;
            while (!committed) {
                try {
                    one.executeUpdate(update);
                    first.commit();
                    committed = true;
                } catch (AbortedException e) {
                    one = first.resetForRetry();
                    one.executeUpdate(insert);
                }
            }
            assertThat(opposite.get()).isEqualTo(2);
        }
        assertThat(texts(database, "SELECT Thread FROM Names WHERE Id = 'a'")).containsExactly("3");
    }
}
