package dev.spream.api.plugin.classloader;

import org.jspecify.annotations.Nullable;

/**
 * The context class loader for calls into a plug-in: libraries find their services and drivers through it. The previous
 * one is always restored. A plug-in on the class path shares the host's class loader and is called without a change.
 * Immutable.
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

    /** Returns the scope of the current thread, for calls back to the host. */
    public static ThreadContextClassLoader ofThisThread() {
        return new ThreadContextClassLoader(true, Thread.currentThread().getContextClassLoader());
    }

    public static ThreadContextClassLoader unchanged() {
        return UNCHANGED;
    }

    /** Returns whether calls change the context class loader. */
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

    /** A call with a result. */
    @FunctionalInterface
    public interface Call<T, X extends Throwable> {
        T call() throws X;
    }

    /** A call without a result. */
    @FunctionalInterface
    public interface Action<X extends Throwable> {
        void run() throws X;
    }
}
