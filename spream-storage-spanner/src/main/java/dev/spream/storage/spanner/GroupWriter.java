package dev.spream.storage.spanner;

import static java.util.Objects.requireNonNull;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Options;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.TransactionContext;
import com.google.spanner.v1.CommitRequest;
import com.google.spanner.v1.RollbackRequest;
import dev.spream.core.StorageException;
import dev.spream.core.partition.PartitionToken;
import dev.spream.storage.spanner.client.DatabaseCalls;
import dev.spream.storage.spanner.client.LockedRowsException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The single writer of a storage: operations that arrive while a transaction runs are queued, and the next transaction
 * executes all of them. So a busy process runs few, larger transactions, and never two at a time, which would abort
 * each other.
 *
 * <p>Safe for use by many threads. A thread of its own writes while operations are queued. Callers wait for it up to
 * the time limit of a call; an operation whose caller timed out is dropped if it has not begun.
 *
 * <p>Spanner cannot skip rows that another transaction has locked: a younger transaction waits until it is stopped. So
 * a transaction gets a share of the time limit of a call. If it exceeds this share while the server answers, it is
 * rolled back, because the rows that it has read would stay locked for the next, younger transactions. Its divisible
 * operations fail, and their callers write them in smaller parts; the others are executed alone, each for a short time.
 * {@link LockedRows} records rows that stay locked, and they are written separately until that succeeds: such
 * transactions alternate with the others, so that many locked rows delay those no longer than one does.
 */
final class GroupWriter {
    /**
     * The maximum number of rows of a transaction: with all their columns and index entries about a quarter of
     * Spanner's 80,000 mutations.
     */
    static final int MAX_ROWS = 1_000;

    private static final int LAPSE_IN_TIMEOUTS = 10;

    /**
     * The assumed number of sequential requests of a transaction, more than there are, since each may take longer than
     * a simple one.
     */
    private static final int ANSWERS = 8;

    private final DatabaseClient client;
    private final MetadataTables tables;
    private final DatabaseCalls calls;
    private final Consumer<RollbackRequest> rollback;

    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock, like what follows. */
    private final Deque<Entry<?>> queue = new ArrayDeque<>();

    private boolean writing;
    private boolean wroteTogether;

    private final LockedRows lockedRows;
    private volatile Duration lastAnswer = Duration.ZERO;
    private volatile Duration lastWrite = Duration.ZERO;

    /** @param rollback rolls back a transaction, of which no locks may remain */
    GroupWriter(DatabaseClient client, MetadataTables tables, DatabaseCalls calls, Consumer<RollbackRequest> rollback) {
        this.rollback = rollback;
        this.client = client;
        this.tables = tables;
        this.calls = calls;
        this.lockedRows = new LockedRows(calls.timeout().multipliedBy(LAPSE_IN_TIMEOUTS), System::nanoTime);
    }

    /** Runs the operation in a transaction, alone or with others, and returns its result after the commit. */
    <T> T write(WriteOperation<T> operation) {
        return write(operation, waitLimit());
    }

    /**
     * Runs an operation that may have to wait for its turn.
     *
     * @param turn the time limit for its transaction to begin
     * @throws LockedRowsException if it has not begun by then; nothing was executed
     */
    <T> T write(WriteOperation<T> operation, Duration turn) {
        Entry<T> entry = new Entry<>(operation);
        enqueue(entry);
        try {
            return answer(entry, turn);
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

    private <T> T answer(Entry<T> entry, Duration turn)
            throws ExecutionException, TimeoutException, InterruptedException {
        try {
            return entry.result.get(turn.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            Duration left = waitLimit().minus(turn);
            if (left.isPositive() && isWithdrawn(entry)) {
                throw new LockedRowsException(
                        "%s was not executed: writes of other, locked rows take too long; it can be repeated"
                                .formatted(entry.operation.what()),
                        e);
            }
            return entry.result.get(left.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /**
     * Returns the maximum time that a caller waits; a transaction times out a little earlier, with a more specific
     * message.
     */
    private Duration waitLimit() {
        return calls.timeout().multipliedBy(5).dividedBy(4);
    }

    /** Removes the operation from the queue, and returns whether it was still there. */
    private boolean isWithdrawn(Entry<?> entry) {
        lock.lock();
        try {
            return queue.remove(entry);
        } finally {
            lock.unlock();
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

    /** Returns the operations of the next transaction; empty if there are none, which ends the thread. */
    private List<Entry<?>> nextBatch() {
        lock.lock();
        try {
            queue.removeIf(entry -> entry.result.isDone());
            List<Entry<?>> batch = nextOf(queue.stream().collect(Collectors.partitioningBy(this::isAlone)));
            queue.removeAll(Set.copyOf(batch));
            writing = !batch.isEmpty();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /** Alternates between one operation that runs alone, and all that run together; both in the order of arrival. */
    private List<Entry<?>> nextOf(Map<Boolean, List<Entry<?>>> waiting) {
        List<Entry<?>> alone = requireNonNull(waiting.get(true));
        List<Entry<?>> together = requireNonNull(waiting.get(false));
        wroteTogether = alone.isEmpty() || (!together.isEmpty() && !wroteTogether);
        return wroteTogether ? upToMostRows(together) : alone.subList(0, 1);
    }

    private static List<Entry<?>> upToMostRows(List<Entry<?>> entries) {
        List<Entry<?>> batch = new ArrayList<>();
        int rows = 0;
        for (Entry<?> entry : entries) {
            rows += entry.operation.weight();
            if (!batch.isEmpty() && rows > MAX_ROWS) {
                break;
            }
            batch.add(entry);
        }
        return batch;
    }

    private boolean isAlone(Entry<?> entry) {
        return entry.failedWithOthers || entry.operation.alone() || isSuspect(entry);
    }

    /** Returns the time in which a call writes parts of its rows one after the other. */
    Duration timeForParts() {
        return calls.timeout().dividedBy(2);
    }

    LockedRows lockedRows() {
        return lockedRows;
    }

    private boolean isSuspect(Entry<?> entry) {
        return entry.waitedWithOthers || lockedRows.any(entry.operation.partitions());
    }

    private void write(List<Entry<?>> batch) {
        Entry<?> first = batch.getFirst();
        if (first.operation.isDivisible() && lockedRows.anyInSmallerPiece(first.operation.partitions())) {
            first.result.completeExceptionally(new LockedRowsException(
                    "%s was not executed: one of its rows was locked recently; it can be repeated"
                            .formatted(first.operation.what()),
                    null));
            return;
        }
        long begun = System.nanoTime();
        try {
            List<Runnable> outcomes = calls.runInTurn(
                    "writing",
                    share(batch),
                    () -> client.readWriteTransaction(Options.tag("spream")).run(context -> attempt(context, batch)),
                    this::ask);
            lastWrite = Duration.ofNanos(System.nanoTime() - begun);
            lastAnswer = shorter(lastAnswer, lastWrite); // a write takes several answers
            batch.forEach(entry -> lockedRows.committed(entry.operation.partitions()));
            outcomes.forEach(Runnable::run);
        } catch (LockedRowsException e) {
            failLocked(batch, e);
        } catch (StorageException e) {
            fail(batch, e);
        } catch (RuntimeException | Error e) {
            batch.forEach(entry -> entry.result.completeExceptionally(e));
        }
    }

    /**
     * Returns the time limit of a transaction: longer for many rows, and for a server that answers slowly. A
     * transaction on rows that were locked before gets a short time at first, which is doubled with each failure, up to
     * that of others.
     */
    private Duration share(List<Entry<?>> batch) {
        Duration timeout = calls.timeout();
        Duration whole = timeout.multipliedBy(3).dividedBy(4);
        if (batch.stream().anyMatch(entry -> entry.operation.alone())) {
            return whole;
        }
        int rows = batch.stream().mapToInt(entry -> entry.operation.weight()).sum();
        Duration forRows = timeout.multipliedBy(Math.min(rows, MAX_ROWS)).dividedBy(8 * MAX_ROWS);
        Duration most = shorter(whole, longer(timeout.dividedBy(4), lastAnswer.multipliedBy(ANSWERS)));
        boolean suspect = batch.stream().anyMatch(this::isSuspect);
        return (suspect ? shorter(most, suspectShare(batch)) : most).plus(forRows);
    }

    private Duration suspectShare(List<Entry<?>> batch) {
        int failures = batch.stream()
                .mapToInt(entry -> lockedRows.failures(entry.operation.partitions()))
                .max()
                .orElse(0);
        Duration widened = calls.timeout().dividedBy(16).multipliedBy(1L << Math.clamp(failures - 1, 0, 2));
        return longer(widened, longer(lastAnswer.multipliedBy(ANSWERS), lastWrite.multipliedBy(2)));
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /**
     * Returns whether the server answers a request that cannot be blocked by locks. An unconfirmed commit is rolled
     * back first: the client rolls back a transaction that fails before its commit, but not one that fails in it.
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
        List<Entry<?>> failed = batch.stream()
                .filter(entry -> batch.size() == 1 || entry.operation.isDivisible())
                .toList();
        lockedRows.waited(failed.stream()
                .flatMap(entry -> entry.operation.partitions().stream())
                .collect(Collectors.toSet()));
        failed.forEach(entry -> entry.result.completeExceptionally(failure));
        batch.forEach(entry -> entry.waitedWithOthers = true);
        writeAlone(batch);
    }

    /**
     * Fails the operations, or executes them alone if there are several, so that one that Spanner rejects, for its size
     * perhaps, does not fail the others.
     */
    private void fail(List<Entry<?>> batch, StorageException failure) {
        if (!failure.retryable() && batch.size() > 1) {
            writeAlone(batch);
        } else {
            batch.forEach(entry -> entry.result.completeExceptionally(failure));
        }
    }

    /** Queues the unfinished operations to be executed next, one by one, alternating with those that arrive. */
    private void writeAlone(List<Entry<?>> batch) {
        lock.lock();
        try {
            for (Entry<?> entry : batch.reversed()) {
                entry.failedWithOthers = true;
                queue.addFirst(entry);
            }
        } finally {
            lock.unlock();
        }
    }

    private List<Runnable> attempt(TransactionContext context, List<Entry<?>> batch) {
        WriteTransaction transaction = new WriteTransaction(context, tables);
        transaction.begin();
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

    /** An operation and its waiting caller. */
    private static final class Entry<T> {
        final WriteOperation<T> operation;
        final CompletableFuture<T> result = new CompletableFuture<>();
        boolean failedWithOthers; // like the next, confined to the writing thread
        boolean waitedWithOthers;

        Entry(WriteOperation<T> operation) {
            this.operation = operation;
        }

        /** Runs the operation; returns the action that completes its caller, to be run after the commit. */
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
