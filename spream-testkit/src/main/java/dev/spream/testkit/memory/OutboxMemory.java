package dev.spream.testkit.memory;

import dev.spream.outbox.AuditEntry;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.ReasonCode;
import dev.spream.testkit.memory.InMemoryOutbox.Transaction;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The memory of an {@link InMemoryOutbox}, in place of a database. All fields except the watchers are guarded by its
 * lock.
 */
public final class OutboxMemory {
    private final ReentrantLock lock = new ReentrantLock();
    private final InstantSource clock;
    private long lastId;

    final EntryTable entries = new EntryTable();
    final LedgerTable ledger = new LedgerTable(lock.newCondition());
    final OutboxSegmentTable segments = new OutboxSegmentTable();
    public final List<AuditEntry> audit = new ArrayList<>();
    final List<OutboxStore.Watcher> watchers = new CopyOnWriteArrayList<>();

    OutboxMemory(InstantSource clock) {
        this.clock = clock;
    }

    public <V> V locked(Supplier<V> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    public void locked(Runnable work) {
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    /** Runs work under the lock for an open transaction; if the work fails, so does the transaction. */
    <V> V lockedIn(Transaction transaction, Supplier<V> work) {
        return locked(() -> {
            transaction.requireOpen(this);
            try {
                return work.get();
            } catch (RuntimeException e) {
                transaction.fail();
                throw e;
            }
        });
    }

    Instant now() {
        return clock.instant();
    }

    /** Returns an id that is never used again, even if the entry is rolled back. */
    long nextId() {
        return ++lastId;
    }

    void commit(Transaction transaction) {
        ledger.commit(transaction);
        transaction.enqueued.forEach(entries::add);
    }

    void rollback(Transaction transaction) {
        ledger.rollback(transaction);
        transaction.enqueued.clear();
    }

    /** Settles an entry with that result, or with the ledger's result if it has one already. */
    void finish(StoredEntry entry, LedgerResult result, String message) {
        if (contradicts(entry)) {
            return;
        }
        ledger.settle(entry.key(), entry.generation(), entry.digest(), result, now());
        entries.edit(entry, () -> entry.settle(result, message, now()));
    }

    /** Returns whether the ledger has a result of the entry already, after storing it in the entry. */
    boolean contradicts(StoredEntry entry) {
        return switch (verdict(entry)) {
            case OPEN -> false;
            case SETTLED -> {
                LedgerResult result = ledger.find(entry.key(), entry.generation())
                        .flatMap(LedgerEntry::result)
                        .orElseThrow();
                entries.edit(entry, () -> entry.settle(result, "as the ledger says", now()));
                yield true;
            }
            case CONFLICT -> {
                LedgerResult conflict = LedgerResult.failed(ReasonCode.IDEMPOTENCY_CONFLICT);
                entries.edit(entry, () -> entry.settle(conflict, "the ledger has another request", now()));
                yield true;
            }
        };
    }

    /** Removes entries that were settled at least that long ago, the oldest first, and returns their number. */
    int removeSettled(Duration settledFor, int limit) {
        Instant end = now().minus(settledFor);
        List<StoredEntry> old = entries.all().stream()
                .filter(entry ->
                        entry.status().isSettled() && !entry.updatedAt().isAfter(end))
                .sorted(Comparator.comparing(StoredEntry::updatedAt).thenComparingLong(StoredEntry::id))
                .limit(limit)
                .toList();
        old.forEach(entries::remove);
        return old.size();
    }

    int removeAudit(Duration age, int limit) {
        Instant end = now().minus(age);
        List<AuditEntry> old = audit.stream()
                .filter(act -> !act.at().isAfter(end))
                .limit(limit)
                .toList();
        audit.subList(0, old.size()).clear(); // they are ordered by settlement time
        return old.size();
    }

    /** The result of looking up an entry in the ledger. */
    enum Verdict {
        OPEN,
        SETTLED,
        CONFLICT
    }

    Verdict verdict(StoredEntry entry) {
        return ledger.find(entry.key(), entry.generation())
                .map(found -> found.requestDigest().equals(entry.digest())
                        ? found.status().isSettled() ? Verdict.SETTLED : Verdict.OPEN
                        : Verdict.CONFLICT)
                .orElse(Verdict.CONFLICT);
    }
}
