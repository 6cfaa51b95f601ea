package dev.spream.api.plugin;

import org.jspecify.annotations.Nullable;

/**
 * How code is called: with a context class loader of its own, which is what libraries look in for their services and
 * drivers. Afterwards the thread has the one that it had, whatever happened. A plug-in on the class path shares the host's
 * class loader and is called as it is. Immutable.
 */
final class CallScope {
    private static final CallScope UNCHANGED = new CallScope(false, null);

    private final boolean changesLoader;
    private final @Nullable ClassLoader loader;

    private CallScope(boolean changesLoader, @Nullable ClassLoader loader) {
        this.changesLoader = changesLoader;
        this.loader = loader;
    }

    static CallScope of(ClassLoader loader) {
        return new CallScope(true, loader);
    }

    /** As this thread is now, to come back to it from within another scope. */
    static CallScope ofThisThread() {
        return new CallScope(true, Thread.currentThread().getContextClassLoader());
    }

    static CallScope unchanged() {
        return UNCHANGED;
    }

    /** Whether calls need this at all. */
    boolean changesLoader() {
        return changesLoader;
    }

    <T, X extends Throwable> T call(Call<T, X> call) throws X {
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

    <X extends Throwable> void run(Action<X> action) throws X {
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
    interface Call<T, X extends Throwable> {
        T call() throws X;
    }

    /** Something without a result. */
    @FunctionalInterface
    interface Action<X extends Throwable> {
        void run() throws X;
    }
}
