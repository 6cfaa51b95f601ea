package dev.spream.testkit.memory;

import dev.spream.core.StorageException;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.projection.AuditedAction;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.VersionRole;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The memory of an {@link InMemoryProjectionStore}, in place of a database. All fields are guarded by its lock. */
final class ProjectionMemory {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final InstantSource clock;
    private final MonotonicTime time;
    private final Map<String, StoredProjection> projections = new TreeMap<>(); // by the names of their states
    private final Map<String, Integer> lastVersions = new HashMap<>();
    private final Map<String, List<AuditedAction>> audits = new HashMap<>();

    final RowTables rows = new RowTables();
    final RowLocks locks = new RowLocks(changed);

    ProjectionMemory(InstantSource clock, MonotonicTime time) {
        this.clock = clock;
        this.time = time;
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

    /** Runs work under the lock for an open transaction; if the work fails, the transaction can only be rolled back. */
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

    /** Returns the live version of a projection, which is created if it does not exist. */
    StoredProjection register(String name, int segments, ProjectionCode code) {
        ProjectionState.requireNumber(segments);
        StoredProjection projection = live(name)
                .orElseGet(() -> add(
                        new ProjectionVersion(name, 1, code.revision(), VersionRole.LIVE, 0, true), segments, code));
        projection.state().requireSegments(segments);
        return projection;
    }

    StoredProjection add(ProjectionVersion version, int segments, ProjectionCode code) {
        StoredProjection added = new StoredProjection(version, segments, code, audit(version.projection()), now());
        projections.put(added.name(), added);
        lastVersions.put(version.projection(), version.version());
        return added;
    }

    void remove(StoredProjection version) {
        projections.remove(version.name());
    }

    /** Returns the audit of a projection, which is kept when its versions are dropped. */
    List<AuditedAction> audit(String projection) {
        return audits.computeIfAbsent(projection, first -> new ArrayList<>());
    }

    /** Returns the highest version number used so far. */
    int lastVersion(String projection) {
        return lastVersions.getOrDefault(projection, 0);
    }

    Optional<StoredProjection> find(String name) {
        return Optional.ofNullable(projections.get(name));
    }

    /** Returns the versions of a projection, the first one first. */
    List<StoredProjection> versions(String projection) {
        return projections.values().stream()
                .filter(found -> found.version().projection().equals(projection))
                .sorted(Comparator.comparingInt(found -> found.version().version()))
                .toList();
    }

    Optional<StoredProjection> live(String projection) {
        return versions(projection).stream()
                .filter(found -> found.version().isLive())
                .findFirst();
    }

    /** Returns the version that a name refers to: the live version of a projection, or a version by its number. */
    Optional<StoredProjection> named(String name) {
        return live(name)
                .or(() -> projections.values().stream()
                        .filter(found -> name.equals("%s@%d"
                                .formatted(
                                        found.version().projection(),
                                        found.version().version())))
                        .findFirst());
    }

    StoredProjection require(String name) {
        return find(name).orElseThrow(() -> unknown(name));
    }

    /** Returns the live version of a projection. */
    StoredProjection requireLive(String projection) {
        return live(projection).orElseThrow(() -> unknown(projection));
    }

    private static StorageException unknown(String name) {
        return new StorageException(
                "there is no projection '%s'; nothing was done, register it first".formatted(name), false, null);
    }

    Collection<StoredProjection> projections() {
        return projections.values();
    }

    /**
     * Enters the projection, so that a stop of the projection, or a claim of the segment, waits until {@link #leave};
     * empty if the fence does not hold.
     */
    Optional<StoredProjection> enter(Fence fence) {
        return locked(() -> {
            await(
                    () -> find(fence.projection())
                            .filter(StoredProjection::isAlone)
                            .isEmpty(),
                    Long.MAX_VALUE,
                    "while projection '%s' was held".formatted(fence.projection()));
            Optional<StoredProjection> entered =
                    find(fence.projection()).filter(projection -> projection.isHeld(fence));
            entered.ifPresent(projection -> projection.enter(fence));
            return entered;
        });
    }

    /** Ends a transaction and discards its uncommitted writes. */
    void leave(Fence fence, StoredProjection projection, Transaction transaction) {
        locked(() -> {
            projection.leave(fence);
            end(transaction);
        });
    }

    /** Ends a transaction that has not entered a projection. */
    void end(Transaction transaction) {
        transaction.open.over = "has ended";
        locks.release(transaction);
        changed.signalAll();
    }

    /** Publishes the writes of the transaction after storing its state; if that fails, neither takes effect. */
    <V> V commit(Transaction transaction, Supplier<V> remember) {
        return lockedIn(transaction, () -> {
            V remembered = remember.get();
            rows.commit(transaction);
            return remembered;
        });
    }

    /** Waits until no transaction of the projection is open, or its status changes again. */
    void awaitIdle(StoredProjection projection) {
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

    /** Wakes all threads that wait for a change. */
    void statusChanged() {
        changed.signalAll();
    }

    /**
     * Waits until the condition holds, or until a time of the memory's own clock; returns whether it holds.
     *
     * @param until in nanoseconds; {@link Long#MAX_VALUE} for no limit
     * @param when describes the wait in the message of an interrupt
     */
    boolean await(BooleanSupplier holds, long until, String when) {
        try {
            while (!holds.getAsBoolean()) {
                if (until == Long.MAX_VALUE) {
                    changed.await();
                } else if (until - nanoTime() <= 0) {
                    return false;
                } else {
                    time.awaitNanos(changed, until - nanoTime());
                }
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException("interrupted " + when + "; nothing was changed", true, e);
        }
    }

    long nanoTime() {
        return time.nanoTime();
    }

    /** Refuses progress of a version that is not live past the live one. */
    void requireNotAhead(StoredProjection projection, Fence fence, OptionalLong position) {
        if (fence instanceof Fence.Segment held
                && position.isPresent()
                && position.getAsLong() > limit(projection, held.segment())) {
            throw new StorageException(
                    "segment %d of projection '%s' would get ahead of the live version, to position %d; nothing was changed"
                            .formatted(held.segment(), projection.name(), position.getAsLong()),
                    true,
                    null);
        }
    }

    /** Returns the progress of a version that is not live. */
    RebuildProgress progress(StoredProjection projection) {
        long target = live(projection.version().projection())
                .map(live -> live.segments.position())
                .orElse(0L);
        return projection.progress(target, now());
    }

    /** Returns the position up to which a segment may be processed. */
    long limit(StoredProjection projection, int segment) {
        return projection.version().isLive()
                ? Long.MAX_VALUE
                : live(projection.version().projection())
                        .map(live -> live.segments.position(segment))
                        .orElse(0L);
    }
}
