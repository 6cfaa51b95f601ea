package dev.spream.api.plugin.classloader;

import org.jspecify.annotations.Nullable;

/**
 * The class loader that code is called with, as the context class loader of the thread: libraries look in it for their services
 * and drivers. Afterwards the thread has the one that it had, whatever happened. A plug-in on the class path shares the host's
 * class loader and is called as it is. Immutable.
 */
public final class ThreadContextClassLoader {
    private static final ThreadContextClassLoader UNCHANGED = new ThreadContextClassLoader(false, null);

    private final boolean changesLoader;
    private final @Nullable ClassLoader loader;

    private ThreadContextClassLoader(boolean changesLoader, @Nullable ClassLoader loader) {
        this.changesLoader = changesLoader;
        this.loader = loader;
    }

    public static ThreadContextClassLoader of(ClassLoader loader) {
        return new ThreadContextClassLoader(true, loader);
    }

    /** As this thread is now, to come back to it from within another scope. */
    public static ThreadContextClassLoader ofThisThread() {
        return new ThreadContextClassLoader(true, Thread.currentThread().getContextClassLoader());
    }

    public static ThreadContextClassLoader unchanged() {
        return UNCHANGED;
    }

    /** Returns whether calls need this at all. */
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
        call(() -> {
            action.run();
            return this;
        });
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
