package dev.spream.testkit.lock;

import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

/** A namespace of locks and two processes that use it, for the tests of the contract. */
public final class LockScenario<T> {
    /** Few enough rows to provision for each test, and none of the targets in the tests share one. */
    public static final BucketSpace WIDE = new BucketSpace(BucketHash.SHA256, 251, 3);

    private final LockStoreFixture<T> fixture;
    private final int sets;
    private final Map<Thread, String> sessions = new ConcurrentHashMap<>();
    private final List<LockStore<T>> stores = new ArrayList<>();
    private final List<HierarchicalLocks<T>> processes = new ArrayList<>();

    LockScenario(LockStoreFixture<T> fixture) {
        this(fixture, Integer.getInteger("locks.sets", 6_000));
    }

    public LockScenario(LockStoreFixture<T> fixture, int sets) {
        this.fixture = fixture;
        this.sets = sets;
    }

    /** Returns the number of random sets of locks to run. */
    int sets() {
        return sets;
    }

    /** The scenario as the parts of the contract use it. */
    interface Stage<T> {
        LockScenario<T> given();

        LockStoreFixture<T> fixture();
    }

    /** Returns the store of the first process. */
    LockStore<T> store() {
        return store(0, WIDE);
    }

    /** Returns the locks of the first process. */
    HierarchicalLocks<T> locks() {
        return process(0, WIDE);
    }

    /** Returns the locks of another process over the same namespace. */
    HierarchicalLocks<T> others() {
        return process(1, WIDE);
    }

    /** Returns the locks of one of several processes with another bucket space than usual; one space a test. */
    synchronized HierarchicalLocks<T> process(int index, BucketSpace space) {
        while (processes.size() <= index) {
            processes.add(HierarchicalLocks.over(store(processes.size(), space)));
        }
        return processes.get(index);
    }

    private synchronized LockStore<T> store(int index, BucketSpace space) {
        while (stores.size() <= index) {
            stores.add(new WatchedLockStore<>(fixture.open(space), sessions));
        }
        return stores.get(index);
    }

    /** Runs a call that may wait, on a thread of its own. */
    <V> LockAttempt<V> attempt(Callable<V> call) {
        return LockAttempt.start(call, this::sessionOf, fixture::blockersOf);
    }

    /** Returns the session in which the calling thread locked last. */
    String session() {
        return sessionOf(Thread.currentThread()).orElseThrow();
    }

    private Optional<String> sessionOf(Thread thread) {
        return Optional.ofNullable(sessions.get(thread));
    }

    static LockRequest request(LockTarget target, LockMode mode) {
        return mode == LockMode.SHARED ? LockRequest.shared(target) : LockRequest.exclusive(target);
    }

    synchronized void close() {
        processes.forEach(HierarchicalLocks::close);
    }
}
