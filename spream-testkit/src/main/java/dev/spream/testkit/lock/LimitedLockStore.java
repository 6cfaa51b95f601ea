package dev.spream.testkit.lock;

import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.LockTurns;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A store with a limited number of open transactions. */
public final class LimitedLockStore<T> extends ForwardingLockStore<T> {
    private final Semaphore permits;
    private final LockTurns turns;
    private final Set<T> open = Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

    public LimitedLockStore(LockStore<T> target, int handles) {
        super(target);
        this.permits = new Semaphore(handles, true);
        this.turns = LockTurns.of(handles);
    }

    @Override
    public LockTurns turns() {
        return turns;
    }

    @Override
    public T begin(LockDeadline deadline) throws InterruptedException {
        LockTurns.Shortage shortage = turns.shortage();
        try {
            acquirePermit(deadline);
        } finally {
            shortage.end();
        }
        try {
            T transaction = super.begin(deadline);
            open.add(transaction);
            return transaction;
        } catch (Throwable t) {
            permits.release();
            throw t;
        }
    }

    private void acquirePermit(LockDeadline deadline) throws InterruptedException {
        if (deadline.left().isEmpty()) {
            permits.acquire();
        } else if (!permits.tryAcquire(deadline.left().get().toNanos(), TimeUnit.NANOSECONDS)) {
            throw new LockTimeoutException("all transactions are in use", null);
        }
    }

    @Override
    public void end(T transaction) {
        super.end(transaction);
        if (open.remove(transaction)) {
            permits.release();
        }
    }
}
