package dev.spream.examples.http;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The parts of a service, closed from the last to the first. Confined to one thread, or guarded by a lock of its owner. */
public final class Parts implements AutoCloseable {
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    /** Adds a part, which is closed before all earlier ones. */
    public <T extends AutoCloseable> T add(T part) {
        open.push(part);
        return part;
    }

    /**
     * Closes all parts. Closing again is harmless.
     *
     * @throws IllegalStateException if some could not be closed; the others are
     */
    @Override
    public void close() {
        @Nullable IllegalStateException failure = null;
        while (!open.isEmpty()) {
            AutoCloseable part = open.pop();
            try {
                part.close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                IllegalStateException one = new IllegalStateException(
                        part.getClass().getSimpleName() + " could not be closed, and may still run; the rest is closed",
                        e);
                if (failure == null) {
                    failure = one;
                } else {
                    failure.addSuppressed(one);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
