package dev.spream.api.plugin.classloader;

import org.jspecify.annotations.Nullable;

/**
 * How code is called: with a context class loader of its own, which is what libraries look in for their services and
 * drivers. Afterwards the thread has the one that it had, whatever happened. A plug-in on the class path shares the host's
 * class loader and is called as it is. Immutable.
 */
public final class CallScope {
    private static final CallScope UNCHANGED = new CallScope(false, null);

    private final boolean changesLoader;
    private final @Nullable ClassLoader loader;

    private CallScope(boolean changesLoader, @Nullable ClassLoader loader) {
        this.changesLoader = changesLoader;
        this.loader = loader;
    }

    public static CallScope of(ClassLoader loader) {
        return new CallScope(true, loader);
    }

    /** As this thread is now, to come back to it from within another scope. */
    public static CallScope ofThisThread() {
        return new CallScope(true, Thread.currentThread().getContextClassLoader());
    }

    public static CallScope unchanged() {
        return UNCHANGED;
    }

    /** Whether calls need this at all. */
    public boolean changesLoader() {
        return changesLoader;
    }

    public <T, X extends Throwable> T call(Call<T, X> call) throws X {
        if (!changesLoader) {
            return call.call();
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return call.call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    public <X extends Throwable> void run(Action<X> action) throws X {
        if (!changesLoader) {
            action.run();
            return;
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            action.run();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Something with a result. */
    @FunctionalInterface
    public interface Call<T, X extends Throwable> {
        T call() throws X;
    }

    /** Something without a result. */
    @FunctionalInterface
    public interface Action<X extends Throwable> {
        void run() throws X;
    }
}
