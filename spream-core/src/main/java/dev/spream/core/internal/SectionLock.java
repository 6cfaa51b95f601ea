package dev.spream.core.internal;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** A lock whose {@link #run} and {@link #get} hold it for one section of code, which should not block for long. */
public final class SectionLock extends ReentrantLock {
    private static final long serialVersionUID = 1L;

    public void run(Runnable section) {
        lock();
        try {
            section.run();
        } finally {
            unlock();
        }
    }

    public <T> T get(Supplier<T> section) {
        lock();
        try {
            return section.get();
        } finally {
            unlock();
        }
    }
}
