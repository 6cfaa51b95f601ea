package dev.spream.core.projection;

import dev.spream.core.StorageException;
import dev.spream.core.projection.InMemoryProjectionStore.Transaction;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** What an {@link InMemoryProjectionStore} holds: what a database would be to it. All of it is guarded by its lock. */
final class ProjectionMemory {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final InstantSource clock;
    private final Map<String, StoredProjection> projections = new TreeMap<>();

    final RowTables rows = new RowTables();
    final RowLocks locks = new RowLocks(changed);

    ProjectionMemory(InstantSource clock) {
        this.clock = clock;
    }

    <V> V locked(Supplier<V> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    void locked(Runnable work) {
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    /** The same for a transaction that is open; if the work fails, the transaction can be rolled back alone. */
    <V> V lockedIn(Transaction transaction, Supplier<V> work) {
        return locked(() -> {
            requireOpen(transaction);
            try {
                return work.get();
            } catch (RuntimeException e) {
                transaction.open.over = "has failed";
                throw e;
            }
        });
    }

    private static void requireOpen(Transaction transaction) {
        if (transaction.open.over != null) {
            throw new StorageException("the transaction " + transaction.open.over, false, null);
        }
    }

    Instant now() {
        return clock.instant();
    }

    StoredProjection register(String name, int segments) {
        StoredProjection projection =
                projections.computeIfAbsent(name, first -> new StoredProjection(name, segments, now()));
        projection.state().requireSegments(segments);
        return projection;
    }

    Optional<StoredProjection> find(String name) {
        return Optional.ofNullable(projections.get(name));
    }

    StoredProjection require(String name) {
        return find(name)
                .orElseThrow(() -> new StorageException(
                        "there is no projection '%s'; nothing was done, register it first".formatted(name),
                        false,
                        null));
    }

    Collection<StoredProjection> projections() {
        return projections.values();
    }

    /** Has whoever stops the projection, or takes the segment, wait until {@link #leave}; empty if the fence does not hold. */
    Optional<StoredProjection> enter(Fence fence) {
        return locked(() -> {
            Optional<StoredProjection> entered =
                    find(fence.projection()).filter(projection -> projection.isHeld(fence));
            entered.ifPresent(projection -> projection.enter(fence));
            return entered;
        });
    }

    /** Ends a transaction; what it has not committed is forgotten. */
    void leave(Fence fence, StoredProjection projection, Transaction transaction) {
        locked(() -> {
            transaction.open.over = "has ended";
            locks.release(transaction);
            projection.leave(fence);
            changed.signalAll();
        });
    }

    /** Writes what the transaction wrote, after what is to be remembered of it; neither if that fails. */
    <V> V commit(Transaction transaction, Supplier<V> remember) {
        return lockedIn(transaction, () -> {
            V remembered = remember.get();
            rows.commit(transaction);
            return remembered;
        });
    }

    /** Waits until no transaction of the projection is open, or its status changes again. */
    void awaitNobody(StoredProjection projection) {
        long epoch = projection.epoch();
        try {
            while (projection.isEntered() && projection.epoch() == epoch) {
                changed.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException(
                    "interrupted while transactions of projection '%s' were open; it is paused when they have ended"
                            .formatted(projection.name()),
                    true,
                    e);
        }
    }

    /** Wakes those who wait for a change of status. */
    void statusChanged() {
        changed.signalAll();
    }
}
