package dev.spream.testkit.lock;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.LockStore;
import dev.spream.lock.PlannedLock;
import java.util.List;
import java.util.Map;

/** Records the session in which each thread locked last. */
final class WatchedLockStore<T> extends ForwardingLockStore<T> {
    private final Map<Thread, String> sessions;

    WatchedLockStore(LockStore<T> target, Map<Thread, String> sessions) {
        super(target);
        this.sessions = sessions;
    }

    @Override
    public AcquiredLocks tryLock(T transaction, List<PlannedLock> locks) {
        AcquiredLocks taken = super.tryLock(transaction, locks);
        sessions.put(Thread.currentThread(), taken.session());
        return taken;
    }
}
