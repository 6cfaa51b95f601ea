package dev.spream.cli.panel;

import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A value that is opened on first use; after a failure the next use tries again. Safe for use by many threads. */
public final class Opening<T> {
    private final Callable<? extends T> opening;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable T opened; // guarded by the lock

    public Opening(Callable<? extends T> opening) {
        this.opening = opening;
    }

    /** Returns the value. */
    public T get() throws Exception {
        lock.lockInterruptibly();
        try {
            T known = opened;
            if (known == null) {
                known = opening.call();
                opened = known;
            }
            return known;
        } finally {
            lock.unlock();
        }
    }
}
