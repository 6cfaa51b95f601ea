package dev.spream.core.internal;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** A lock for short sections of code. */
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
