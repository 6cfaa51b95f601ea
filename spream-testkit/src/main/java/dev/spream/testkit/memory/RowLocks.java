package dev.spream.testkit.memory;

import dev.spream.core.StorageException;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionException;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;

/**
 * The locks of rows that open transactions have written. Guarded by its memory; a wait for an open transaction releases
 * the memory.
 */
final class RowLocks {
    private final Condition changed;
    private final Map<Row, Transaction> owners = new HashMap<>();

    RowLocks(Condition changed) {
        this.changed = changed;
    }

    /** A row of a table, or the state of a projection's aggregate. */
    record Row(String table, String key) {}

    /** Makes the transaction the owner of a row until it ends. Waits until no other one owns it. */
    void acquire(Transaction transaction, Row row) {
        transaction.open.waitsFor = row;
        try {
            awaitWhile(() -> isLockedByOther(transaction, row));
        } finally {
            transaction.open.waitsFor = null;
        }
        own(transaction, row);
    }

    private boolean isLockedByOther(Transaction transaction, Row row) {
        boolean another = owners.getOrDefault(row, transaction) != transaction;
        if (another) {
            requireNoCircle(transaction, row);
        }
        return another;
    }

    private void requireNoCircle(Transaction transaction, Row row) {
        Row next = row;
        while (next != null) {
            Transaction owner = owners.get(next);
            if (owner == transaction) {
                throw new StorageException(
                        "deadlock: transactions wait for each other's rows",
                        true,
                        new ProjectionException(FailureKind.CONFLICT, "deadlock", null));
            }
            next = owner == null ? null : owner.open.waitsFor;
        }
    }

    private void own(Transaction transaction, Row row) {
        owners.put(row, transaction);
        transaction.open.locked.add(row);
    }

    /** Makes the transaction the owner of a row, unless another one owns it; returns whether it did. */
    boolean tryAcquire(Transaction transaction, Row row) {
        if (owners.containsKey(row)) {
            return false;
        }
        own(transaction, row);
        return true;
    }

    /** Waits until no transaction owns the row. */
    void awaitFree(Row row) {
        awaitWhile(() -> owners.containsKey(row));
    }

    private void awaitWhile(BooleanSupplier blocked) {
        try {
            while (blocked.getAsBoolean()) {
                changed.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException("interrupted while waiting for another writer of the row", true, e);
        }
    }

    void release(Transaction transaction) {
        transaction.open.locked.forEach(owners::remove);
        transaction.open.locked.clear();
        changed.signalAll();
    }
}
