package dev.spream.storage.spanner;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Options;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.TransactionContext;
import com.google.spanner.v1.CommitRequest;
import com.google.spanner.v1.RollbackRequest;
import dev.spream.core.StorageException;
import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The one writer of a storage: operations that come while a transaction runs wait, and the next transaction takes all of
 * them. So a busy process makes few, larger transactions, and never two at a time, which would only abort each other.
 *
 * <p>Safe for use by many threads. A thread of its own writes while there is something to write; callers wait for it, each
 * no longer than a call may take, and one that has given up is left out if its operation has not begun.
 *
 * <p>Spanner has no way to pass over rows that another transaction has locked: a younger one waits, and can only give up. So a
 * transaction gets a share of the time of a call. When that passes while the server answers, it is rolled back, because what it
 * has read would stay locked for the next ones, which are younger; its operations then run alone, each for a short while, and
 * what stays in the way is remembered and keeps to itself until it got through.
 */
final class GroupWriter {
    /** Rows of one transaction: with all their columns and index entries about a quarter of Spanner's 80,000 mutations. */
    static final int MAX_ROWS = 1_000;

    private final DatabaseClient client;
    private final MetadataTables tables;
    private final MetadataCalls calls;
    private final Consumer<RollbackRequest> rollback;

    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock, like what follows. */
    private final Queue<Entry<?>> queue = new ArrayDeque<>();

    private boolean writing;

    private final Set<PartitionToken> locked = ConcurrentHashMap.newKeySet(); // when they were last written, or not
    private volatile Duration lastAnswer = Duration.ZERO;

    /** @param rollback rolls a transaction back, of which nothing may be left */
    GroupWriter(DatabaseClient client, MetadataTables tables, MetadataCalls calls, Consumer<RollbackRequest> rollback) {
        this.rollback = rollback;
        this.client = client;
        this.tables = tables;
        this.calls = calls;
    }

    /** Runs the operation in a transaction, with others or alone, and returns its result once that has committed. */
    <T> T write(WriteOperation<T> operation) {
        Entry<T> entry = new Entry<>(operation);
        enqueue(entry);
        try {
            // A transaction ends by itself a little earlier, and then says why.
            return entry.result.get(calls.timeout().multipliedBy(5).dividedBy(4).toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw failure(operation, e.getCause());
        } catch (TimeoutException e) {
            throw calls.unanswered(operation.what(), "the writes before it take too long", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw calls.interrupted(operation.what(), e);
        } finally {
            entry.result.cancel(false);
        }
    }

    private RuntimeException failure(WriteOperation<?> operation, @Nullable Throwable cause) {
        return switch (cause) {
            case IllegalArgumentException e -> new IllegalArgumentException(e.getMessage(), e);
            case LockedRowsException e -> new LockedRowsException(String.valueOf(e.getMessage()), e);
            case StorageException e -> new StorageException(String.valueOf(e.getMessage()), e.retryable(), e);
            case null, default -> calls.failed(operation.what(), cause);
        };
    }

    private void enqueue(Entry<?> entry) {
        lock.lock();
        try {
            queue.add(entry);
            if (!writing) {
                writing = true;
                Thread.ofVirtual()
                        .name("spream-" + tables.partitions() + "-writer")
                        .start(this::writeAll);
            }
        } finally {
            lock.unlock();
        }
    }

    private void writeAll() {
        for (List<Entry<?>> batch = nextBatch(); !batch.isEmpty(); batch = nextBatch()) {
            write(batch);
        }
    }

    /** What the next transaction takes, in the order of arrival; when there is nothing, the thread is done. */
    private List<Entry<?>> nextBatch() {
        lock.lock();
        try {
            List<Entry<?>> batch = new ArrayList<>();
            int rows = 0;
            while (!queue.isEmpty()) {
                Entry<?> next = queue.peek();
                rows += next.operation.weight();
                boolean alone = next.operation.alone() || isSuspect(next.operation);
                if (!batch.isEmpty() && (alone || rows > MAX_ROWS)) {
                    break;
                }
                queue.remove();
                if (!next.result.isDone()) {
                    batch.add(next);
                }
                if (alone && !batch.isEmpty()) {
                    break;
                }
            }
            writing = !batch.isEmpty();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    Duration callTimeout() {
        return calls.timeout();
    }

    /** Whether the row was locked when it was last to be written. */
    boolean isLocked(PartitionToken partition) {
        return locked.contains(partition);
    }

    private boolean isSuspect(WriteOperation<?> operation) {
        return operation.suspect() || !Collections.disjoint(locked, operation.partitions());
    }

    private void write(List<Entry<?>> batch) {
        write(batch, batch.stream().anyMatch(entry -> isSuspect(entry.operation)));
    }

    private void write(List<Entry<?>> batch, boolean suspect) {
        try {
            List<Runnable> outcomes = calls.runInTurn(
                    "writing",
                    share(batch, suspect),
                    () -> client.readWriteTransaction(Options.tag("spream")).run(context -> attempt(context, batch)),
                    this::ask);
            batch.forEach(entry -> locked.removeAll(entry.operation.partitions()));
            outcomes.forEach(Runnable::run);
        } catch (LockedRowsException e) {
            failLocked(batch, e);
        } catch (StorageException e) {
            fail(batch, e);
        } catch (RuntimeException | Error e) {
            batch.forEach(entry -> entry.result.completeExceptionally(e));
        }
    }

    /** How long a transaction may hold up the next ones: longer for many rows, and before a server that is slow to answer. */
    private Duration share(List<Entry<?>> batch, boolean suspect) {
        Duration timeout = calls.timeout();
        int rows = batch.stream()
                .mapToInt(entry -> entry.operation.alone() ? MAX_ROWS : entry.operation.weight())
                .sum();
        Duration base = suspect ? longer(timeout.dividedBy(16), lastAnswer.multipliedBy(8)) : timeout.dividedBy(4);
        return shorter(timeout, base.plus(timeout.multipliedBy(rows).dividedBy(2 * MAX_ROWS)));
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /**
     * Whether the server answers what no lock can hold up. A commit that waited is rolled back first: the client does that for
     * everything before a commit, and not for the commit.
     */
    private boolean ask(Optional<CommitRequest> unconfirmed) {
        unconfirmed.ifPresent(commit -> rollback.accept(RollbackRequest.newBuilder()
                .setSession(commit.getSession())
                .setTransactionId(commit.getTransactionId())
                .build()));
        long asked = System.nanoTime();
        try (ResultSet answer = client.singleUse().executeQuery(Statement.of("SELECT 1"))) {
            boolean answered = answer.next();
            lastAnswer = Duration.ofNanos(System.nanoTime() - asked);
            return answered;
        }
    }

    private void failLocked(List<Entry<?>> batch, LockedRowsException failure) {
        if (batch.size() > 1) {
            batch.stream().filter(entry -> !entry.result.isDone()).forEach(entry -> write(List.of(entry), true));
            return;
        }
        Entry<?> entry = batch.getFirst();
        if (!entry.operation.rowByRow() || entry.operation.partitions().size() == 1) {
            locked.addAll(entry.operation.partitions());
        }
        entry.result.completeExceptionally(failure);
    }

    /** One that Spanner refuses, for its size perhaps, does not take the others with it. */
    private void fail(List<Entry<?>> batch, StorageException failure) {
        if (!failure.retryable() && batch.size() > 1) {
            batch.forEach(entry -> write(List.of(entry)));
        } else {
            batch.forEach(entry -> entry.result.completeExceptionally(failure));
        }
    }

    private List<Runnable> attempt(TransactionContext context, List<Entry<?>> batch) {
        WriteTransaction transaction = new WriteTransaction(context, tables);
        Set<PartitionToken> partitions = new HashSet<>();
        batch.forEach(entry -> partitions.addAll(entry.operation.partitions()));
        transaction.load(partitions);
        List<Runnable> outcomes = new ArrayList<>();
        for (Entry<?> entry : batch) {
            outcomes.add(entry.outcome(transaction));
        }
        context.buffer(transaction.mutations());
        return outcomes;
    }

    /** An operation, and who waits for its result. */
    private static final class Entry<T> {
        final WriteOperation<T> operation;
        final CompletableFuture<T> result = new CompletableFuture<>();

        Entry(WriteOperation<T> operation) {
            this.operation = operation;
        }

        /** Runs the operation; what it came to is told once the transaction has committed. */
        Runnable outcome(WriteTransaction transaction) {
            try {
                T value = operation.work().apply(transaction);
                return () -> result.complete(value);
            } catch (IllegalArgumentException | StorageException e) {
                return () -> result.completeExceptionally(e);
            }
        }
    }
}
