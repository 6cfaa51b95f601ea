package dev.spream.emulator;

import static dev.spream.emulator.EmulatedSpanner.ACCOUNTS;
import static dev.spream.emulator.EmulatedSpanner.account;
import static dev.spream.emulator.EmulatedSpanner.query;
import static dev.spream.emulator.EmulatedSpanner.rows;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.AbortedException;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ReadOnlyTransaction;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.TimestampBound;
import com.google.cloud.spanner.TransactionManager;
import dev.spream.emulator.control.CommitLog;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Tests of the isolation of a client's transactions. Google's emulator in the versions commonly installed cannot pass
 * this: it fails when transactions of one client overlap on its one multiplexed session.
 */
class TransactionsIT {
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

    @Test
    void a_client_that_falls_silent_in_a_transaction_loses_its_locks() throws Exception {
        DatabaseClient database = database(ACCOUNTS);
        database.write(List.of(account(1, "a", 10)));
        try (TransactionManager silent = database.transactionManager()) {
            silent.begin().executeUpdate(Statement.of("UPDATE Accounts SET Balance = 99 WHERE Id = 1"));
            database.write(List.of(balance(1, 20)));
            assertThatThrownBy(silent::commit).isInstanceOf(AbortedException.class);
        }
        assertThat(query(database, "SELECT Balance FROM Accounts"))
                .extracting(row -> row.getLong(0))
                .containsExactly(20L);
    }

    @Test
    void the_log_of_commits_has_every_row_once_in_commit_order_without_a_change_stream() throws Exception {
        DatabaseId id = spanner.createDatabase(Dialect.GOOGLE_STANDARD_SQL, ACCOUNTS);
        DatabaseClient database = spanner.connect(id);
        database.write(List.of(account(1, "a", 10)));
        CommitLog log = spanner.recordCommits(id);
        Timestamp both = database.write(List.of(account(2, "b", 20), account(3, "c", 30)));
        database.readWriteTransaction()
                .run(transaction -> transaction.executeUpdate(
                        Statement.of("UPDATE Accounts SET Balance = Balance + 1 WHERE Id = 2")));
        assertThatThrownBy(() -> database.write(List.of(account(4, "d", 40), account(1, "again", 0))));
        Timestamp deleted = database.write(List.of(Mutation.delete("Accounts", Key.of(1))));

        assertThat(log.rows())
                .extracting(row -> "%s %s %s"
                        .formatted(
                                row.deleted() ? "delete" : "write",
                                requireNonNull(row.row().get("Id")).getStringValue(),
                                requireNonNull(row.row().get("Balance")).getStringValue()))
                .containsExactly("write 2 20", "write 3 30", "write 2 21", "delete 1 10");
        assertThat(log.rows())
                .extracting(CommitLog.CommittedRow::timestamp)
                .isSorted()
                .startsWith(both.toSqlTimestamp().toInstant())
                .endsWith(deleted.toSqlTimestamp().toInstant());
        assertThat(log.rows()).extracting(CommitLog.CommittedRow::table).containsOnly("Accounts");
    }

    @Test
    void writers_that_overlap_share_a_commit_timestamp_now_and_then_but_never_on_one_row() throws Exception {
        DatabaseClient database = database(ACCOUNTS);
        int writers = 8;
        int least = 60;
        int most = 5_000;
        database.write(List.of(account(0, "a", 0), account(1, "b", 0), account(2, "c", 0), account(3, "d", 0)));
        Map<Integer, List<Timestamp>> commits = new ConcurrentHashMap<>();
        Set<Timestamp> seen = ConcurrentHashMap.newKeySet();
        AtomicBoolean shared = new AtomicBoolean();
        try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
            List<Future<?>> done = new ArrayList<>();
            for (int writer = 0; writer < writers; writer++) {
                int row = writer / 2;
                done.add(threads.submit(() -> {
                    for (int round = 0; round < least || (round < most && !shared.get()); round++) {
                        Timestamp at = database.writeAtLeastOnce(List.of(balance(row, round)));
                        commits.computeIfAbsent(row, r -> Collections.synchronizedList(new ArrayList<>()))
                                .add(at);
                        if (!seen.add(at)) {
                            shared.set(true);
                        }
                    }
                }));
            }
            for (Future<?> future : done) {
                future.get();
            }
        }
        assertThat(commits.values()).allSatisfy(ofOneRow -> assertThat(ofOneRow).doesNotHaveDuplicates());
        assertThat(shared)
                .as("two of %d rows share a timestamp", commits.size())
                .isTrue();
    }

    private static Mutation balance(long id, long balance) {
        return Mutation.newUpdateBuilder("Accounts")
                .set("Id")
                .to(id)
                .set("Balance")
                .to(balance)
                .build();
    }

    @Test
    void a_read_only_transaction_sees_one_moment() throws Exception {
        DatabaseClient database = database(ACCOUNTS);
        database.write(List.of(account(1, "a", 10)));
        try (ReadOnlyTransaction snapshot = database.readOnlyTransaction()) {
            assertThat(rows(snapshot.read("Accounts", KeySet.all(), List.of("Id"))))
                    .hasSize(1);
            Timestamp later = database.write(List.of(account(2, "b", 20)));
            assertThat(rows(snapshot.executeQuery(Statement.of("SELECT Id FROM Accounts"))))
                    .hasSize(1);
            assertThat(snapshot.getReadTimestamp()).isLessThan(later);
        }
        try (ReadOnlyTransaction strong = database.singleUseReadOnlyTransaction(TimestampBound.strong())) {
            assertThat(rows(strong.read("Accounts", KeySet.all(), List.of("Id"))))
                    .hasSize(2);
            assertThat(strong.getReadTimestamp().getSeconds()).isGreaterThan(1_600_000_000L);
        }
    }

    @Test
    void a_time_in_the_future_is_no_commit_timestamp() throws Exception {
        DatabaseClient database = database(ACCOUNTS);
        database.write(List.of(account(1, "a", 10)));
        assertThatThrownBy(() -> database.readWriteTransaction()
                        .run(transaction -> transaction.executeUpdate(Statement.of(
                                "UPDATE Accounts SET Changed = TIMESTAMP '2999-01-01T00:00:00Z' WHERE Id = 1"))))
                .hasMessageContaining("FAILED_PRECONDITION")
                .hasMessageContaining("Cannot write timestamps in the future");
        Timestamp written = database.write(List.of(account(2, "b", 20)));
        Timestamp again = database.write(List.of(Mutation.newUpdateBuilder("Accounts")
                .set("Id")
                .to(1)
                .set("Changed")
                .to(written)
                .build()));
        assertThat(again).isGreaterThan(written);
    }
}
