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
 * The one writer of a storage: operations that come while a transaction runs wait, and the next transaction takes all of
 * them. So a busy process makes few, larger transactions, and never two at a time, which would only abort each other.
 *
 * <p>Safe for use by many threads. A thread of its own writes while there is something to write; callers wait for it, each
 * no longer than a call may take, and an operation whose caller timed out is dropped if it has not begun.
 *
 * <p>Spanner has no way to pass over rows that another transaction has locked: a younger one waits, and can only give up. So a
 * transaction gets a share of the time of a call. When that passes while the server answers, it is rolled back, because what it
 * has read would stay locked for the next ones, which are younger. Those of its operations that can be divided fail then, and
 * their callers write them in smaller parts; the others run alone, each for a short while. {@link LockedRows} remembers what
 * stays in the way, and that keeps to itself until it got through: one such transaction is tried between two of the others, so
 * that many locked rows hold those up no longer than one does.
 */
final class GroupWriter {
    /** Rows of one transaction: with all their columns and index entries about a quarter of Spanner's 80,000 mutations. */
    static final int MAX_ROWS = 1_000;

    private static final int LAPSE_IN_TIMEOUTS = 10;

    /** More than the requests of a transaction, one after the other, each of which may take longer than one that is simple. */
    private static final int ANSWERS = 8;

    private final DatabaseClient client;
    private final MetadataTables tables;
    private final MetadataCalls calls;
    private final Consumer<RollbackRequest> rollback;

    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock, like what follows. */
    private final Deque<Entry<?>> queue = new ArrayDeque<>();

    private boolean writing;
    private boolean wroteTogether;

    private final LockedRows lockedRows;
    private volatile Duration lastAnswer = Duration.ZERO;
    private volatile Duration lastWrite = Duration.ZERO;

    /** @param rollback rolls a transaction back, of which nothing may be left */
    GroupWriter(DatabaseClient client, MetadataTables tables, MetadataCalls calls, Consumer<RollbackRequest> rollback) {
        this.rollback = rollback;
        this.client = client;
        this.tables = tables;
        this.calls = calls;
        this.lockedRows = new LockedRows(calls.timeout().multipliedBy(LAPSE_IN_TIMEOUTS), System::nanoTime);
    }

    /** Runs the operation in a transaction, with others or alone, and returns its result once that has committed. */
    <T> T write(WriteOperation<T> operation) {
        return write(operation, waitLimit());
    }

    /**
     * The same for one that others of its kind may come before.
     *
     * @param turn how long it may wait for its transaction to begin
     * @throws LockedRowsException if that has not begun by then; nothing was tried
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
                        "%s was not tried: writes of other rows that are locked take too long"
                                .formatted(entry.operation.what()),
                        e);
            }
            return entry.result.get(left.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /** How long a call waits: a transaction ends by itself a little earlier, and then says why. */
    private Duration waitLimit() {
        return calls.timeout().multipliedBy(5).dividedBy(4);
    }

    /** Returns whether it was taken back before it began. */
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

    /** What the next transaction takes; when there is nothing, the thread is done. */
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

    /** In turns one that runs alone, and all that run together; both in the order of arrival. */
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

    /** How long a call takes up parts of its rows one after the other. */
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
                    "%s was not tried: one of the rows was locked a moment ago".formatted(first.operation.what()),
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
            lastAnswer = shorter(lastAnswer, lastWrite); // of several answers
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
     * How long a transaction may hold up the next ones: longer for many rows, and before a server whose answers take long. One on
     * rows that were locked before gets little at first, and twice as much with each failure, up to what others get.
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
     * Returns whether the server answers what no lock can hold up. A commit that waited is rolled back first: the client does
     * that for everything before a commit, and not for the commit.
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

    /** One that Spanner refuses, for its size perhaps, does not take the others with it. */
    private void fail(List<Entry<?>> batch, StorageException failure) {
        if (!failure.retryable() && batch.size() > 1) {
            writeAlone(batch);
        } else {
            batch.forEach(entry -> entry.result.completeExceptionally(failure));
        }
    }

    /** Has those that are not done written next, one by one, in turn with what comes meanwhile. */
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
        boolean failedWithOthers; // like the next, read and written by the thread that writes
        boolean waitedWithOthers;

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
