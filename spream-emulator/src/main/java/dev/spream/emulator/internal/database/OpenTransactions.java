package dev.spream.emulator.internal.database;

import com.google.protobuf.ByteString;
import dev.spream.emulator.internal.database.ReadWriteTransaction.Attributes;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.stream.EmulatorThreads;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open transactions of a database. A background thread ends abandoned ones: writers that block others, snapshots
 * that are idle for too long or too many, and transactions that were begun and not used.
 */
public final class OpenTransactions {
    private static final Logger log = LoggerFactory.getLogger(OpenTransactions.class);
    private static final Duration SNAPSHOT_MAX_IDLE = Duration.ofMinutes(5);
    private static final Duration FORGOTTEN = Duration.ofMinutes(10);
    /** The period in which a repeated commit returns its first outcome. */
    private static final Duration REPEATABLE = Duration.ofSeconds(30);

    /** The longest time that closing waits for the calls in use. */
    private static final Duration CLOSING = Duration.ofSeconds(2);

    private static final Duration CLOSING_POLL = Duration.ofMillis(1);

    private static final String READ_ONLY = "ro";
    private static final int MAX_SNAPSHOTS = 128;

    private final EmulatedDatabase database;
    private final Map<ByteString, ReadWriteTransaction> writers = new ConcurrentHashMap<>();

    /** The last read-write transaction of each regular session. */
    private final Map<String, ByteString> lastOfSessions = new ConcurrentHashMap<>();

    private final Map<ByteString, Snapshot> snapshots = new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    OpenTransactions(EmulatedDatabase database) {
        this.database = database;
        EmulatorThreads.builder().name("spream-emulator-transactions").start(this::watch);
    }

    /**
     * Begins a read-write transaction without taking a lock.
     *
     * @param previous the id of the transaction that it repeats, which is ended, or empty
     */
    public ReadWriteTransaction begin(String tag, boolean excludedFromChangeStreams, ByteString previous) {
        ReadWriteTransaction aborted = writers.get(previous);
        if (aborted == null) {
            return begin(new Attributes(tag, excludedFromChangeStreams, false, false, 1));
        }
        aborted.rollback();
        return begin(new Attributes(tag, excludedFromChangeStreams, false, false, aborted.number() + 1));
    }

    /** Begins a read-write transaction of a regular session. It repeats the one before it in the session if that was aborted. */
    public ReadWriteTransaction beginIn(String session, String tag, boolean excludedFromChangeStreams) {
        ByteString last = lastOfSessions.getOrDefault(session, ByteString.EMPTY);
        ReadWriteTransaction before = writers.get(last);
        boolean repeats = before != null && before.isAborted();
        ReadWriteTransaction transaction = begin(tag, excludedFromChangeStreams, repeats ? last : ByteString.EMPTY);
        lastOfSessions.put(session, transaction.id());
        return transaction;
    }

    /** Begins a transaction for one partitioned DML statement. */
    public ReadWriteTransaction beginPartitioned(String tag, boolean excludedFromChangeStreams) {
        return begin(new Attributes(tag, excludedFromChangeStreams, true, false, 1));
    }

    /** Begins a transaction of Spanner itself, which change streams show with this tag. */
    ReadWriteTransaction beginSystem(String tag) {
        return begin(new Attributes(tag, false, false, true, 1));
    }

    private ReadWriteTransaction begin(Attributes attributes) {
        ReadWriteTransaction transaction = new ReadWriteTransaction(database, newId("rw"), attributes);
        writers.put(transaction.id(), transaction);
        return transaction;
    }

    /**
     * Begins a read-only transaction at the latest commit, or at a time; waits for one that is in the future.
     *
     * @throws io.grpc.StatusRuntimeException FAILED_PRECONDITION if the rows as of that time are not kept any more
     */
    public Snapshot beginReadOnly(Optional<Instant> time) {
        Snapshot snapshot = database.snapshot(newId(READ_ONLY), time);
        snapshots.put(snapshot.id(), snapshot);
        return snapshot;
    }

    private static ByteString newId(String kind) {
        return ByteString.copyFromUtf8(kind + "-" + UUID.randomUUID());
    }

    public ReadWriteTransaction readWrite(ByteString id) {
        ReadWriteTransaction transaction = writers.get(id);
        if (transaction == null) {
            throw notFound(id.toStringUtf8());
        }
        return transaction;
    }

    private static StatusRuntimeException notFound(String id) {
        return id.startsWith(READ_ONLY)
                ? Errors.notFound(
                        "Transaction not found: %s; the emulator ends a read-only transaction that is idle for %d minutes,"
                                + " or for longest when more than %d are open",
                        id, SNAPSHOT_MAX_IDLE.toMinutes(), MAX_SNAPSHOTS)
                : Errors.notFound("Transaction not found: %s", id);
    }

    /** Returns the context of reads in the transaction with this id. */
    public ReadContext context(ByteString id) {
        Snapshot snapshot = snapshots.get(id);
        return snapshot == null ? new ReadContext.Inside(readWrite(id)) : new ReadContext.Within(snapshot);
    }

    /** Ends a read-only transaction; harmless when it has ended. */
    public void end(Snapshot snapshot) {
        snapshots.remove(snapshot.id());
        snapshot.close();
    }

    void closeSnapshots() {
        snapshots.values().forEach(Snapshot::close);
    }

    private void watch() {
        try {
            while (!closed.await(1, TimeUnit.SECONDS)) {
                check();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void check() {
        try {
            abortIdleBlockers();
            removeEnded();
        } catch (RuntimeException e) {
            log.warn(
                    "[{}] the check for abandoned transactions failed; it is repeated in a second", database.name(), e);
        }
    }

    /** Aborts the transactions whose client is idle while others wait for them. */
    private void abortIdleBlockers() {
        boolean schemaChangeWaits = database.gate().hasWaiters();
        Set<Integer> blockers =
                writers.values().stream().map(ReadWriteTransaction::blocker).collect(Collectors.toSet());
        blockers.remove(0);
        writers.values().stream()
                .filter(writer -> schemaChangeWaits || blockers.contains(writer.session()))
                .forEach(ReadWriteTransaction::abortIfIdle);
    }

    private void removeEnded() {
        snapshots.values().stream()
                .filter(snapshot -> snapshot.idleFor().compareTo(SNAPSHOT_MAX_IDLE) > 0)
                .forEach(this::end);
        snapshots.values().stream()
                .sorted(Comparator.comparing(Snapshot::idleFor))
                .skip(MAX_SNAPSHOTS)
                .forEach(this::end);
        writers.values().removeIf(OpenTransactions::isForgotten);
        lastOfSessions.values().removeIf(last -> !writers.containsKey(last));
    }

    private static boolean isForgotten(ReadWriteTransaction writer) {
        Duration idle = writer.idleFor();
        if (idle.compareTo(FORGOTTEN) > 0) {
            writer.rollback();
            return true;
        }
        return idle.compareTo(REPEATABLE) > 0 && writer.isOver();
    }

    /** Rolls back, and waits a short time for calls in use: each that waits for a row gets it from the one before. */
    void close() {
        closed.countDown();
        Instant end = Instant.now().plus(CLOSING);
        while (!rollbackUnused() && Instant.now().isBefore(end)) {
            LockSupport.parkNanos(CLOSING_POLL.toNanos());
        }
        snapshots.values().forEach(Snapshot::closeUnused);
    }

    private boolean rollbackUnused() {
        boolean all = true;
        for (ReadWriteTransaction writer : writers.values()) {
            all &= writer.rollbackUnused();
        }
        return all;
    }
}
