package dev.spream.cli.subscription;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Options;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.TransactionContext;
import com.google.cloud.spanner.TransactionRunner;
import com.google.cloud.spanner.Value;
import dev.spream.cli.subscription.DemoCheck.BalanceChange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Transfers money between accounts, two accounts a transaction, and records the commits. Runs on one thread, since
 * Google's emulator fails concurrent read-write transactions of one client; any thread may stop it.
 */
final class TransferWorkload {
    private static final int ACCOUNTS = 50;
    private static final long OPENING_BALANCE = 1_000;
    private static final int LARGEST_TRANSFER = 100;
    private static final List<String> BALANCE = List.of("Balance");

    private final Random random;
    private final List<String> accounts;
    private final List<BalanceChange> committed = new ArrayList<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private int transactions;

    TransferWorkload(long seed) {
        random = new Random(seed);
        accounts = IntStream.range(0, ACCOUNTS)
                .mapToObj(i -> "%08x".formatted(random.nextInt()))
                .distinct()
                .toList();
    }

    void openAccounts(DatabaseClient client) {
        client.write(accounts.stream()
                .map(account -> balance(Mutation.newInsertBuilder(DemoDatabase.TABLE), account, OPENING_BALANCE))
                .toList());
    }

    /**
     * Transfers until the count is reached, the time is up, or it is stopped. The count is spread over the time, and
     * takes longer if the server is slow.
     *
     * @param count the number of transactions, or {@link Integer#MAX_VALUE} for as many as fit
     */
    void run(DatabaseClient client, int count, Duration interval, Duration limit) throws InterruptedException {
        long start = System.nanoTime();
        while (transactions < count && System.nanoTime() - start < limit.toNanos()) {
            transfer(client);
            long next = start + transactions * interval.toNanos();
            if (stopped.await(next - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                return;
            }
        }
    }

    /** Ends {@link #run} after the current transaction. */
    void stop() {
        stopped.countDown();
    }

    int transactions() {
        return transactions;
    }

    /** Returns the commits in order. Complete once {@link #run} has returned. */
    List<BalanceChange> committed() {
        return List.copyOf(committed);
    }

    private void transfer(DatabaseClient client) {
        int from = random.nextInt(accounts.size());
        int to = (from + 1 + random.nextInt(accounts.size() - 1)) % accounts.size();
        long amount = 1L + random.nextInt(LARGEST_TRANSFER);
        TransactionRunner runner = client.readWriteTransaction(Options.tag("spream-demo"));
        List<BalanceAfter> balances = Objects.requireNonNull(
                runner.run(transaction -> transfer(transaction, accounts.get(from), accounts.get(to), amount)));
        Instant commitTimestamp = DemoDatabase.instant(runner.getCommitTimestamp());
        balances.forEach(after -> committed.add(new BalanceChange(after.account, commitTimestamp, after.balance)));
        transactions++;
    }

    private static List<BalanceAfter> transfer(TransactionContext transaction, String from, String to, long amount) {
        List<BalanceAfter> after = List.of(
                new BalanceAfter(from, balance(transaction, from) - amount),
                new BalanceAfter(to, balance(transaction, to) + amount));
        after.forEach(balance -> transaction.buffer(
                balance(Mutation.newUpdateBuilder(DemoDatabase.TABLE), balance.account, balance.balance)));
        return after;
    }

    private static long balance(TransactionContext transaction, String account) {
        Struct row = transaction.readRow(DemoDatabase.TABLE, Key.of(account), BALANCE);
        return Objects.requireNonNull(row, "account " + account).getLong(0);
    }

    private static Mutation balance(Mutation.WriteBuilder row, String account, long balance) {
        return row.set("AccountId")
                .to(account)
                .set("LastUpdate")
                .to(Value.COMMIT_TIMESTAMP)
                .set("Balance")
                .to(balance)
                .build();
    }

    private record BalanceAfter(String account, long balance) {}
}
