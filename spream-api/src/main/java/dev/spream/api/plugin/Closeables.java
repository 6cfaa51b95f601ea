package dev.spream.api.plugin;

import dev.spream.api.plugin.classloader.ThreadContextClassLoader;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Closes all of several things, even if closing some of them fails. */
final class Closeables {
    private Closeables() {}

    /** Closes them in that order; the first failure carries the others. */
    @SuppressWarnings("ReferenceEquality") // nothing can be suppressed by itself
    static Optional<Throwable> all(ThreadContextClassLoader scope, List<AutoCloseable> resources) {
        @Nullable Throwable first = null;
        for (AutoCloseable resource : resources) {
            try {
                scope.run(resource::close);
            } catch (Throwable t) {
                keepInterrupt(t);
                if (first == null) {
                    first = t;
                } else if (first != t) {
                    first.addSuppressed(t);
                }
            }
        }
        return Optional.ofNullable(first);
    }

    static void keepInterrupt(Throwable thrown) {
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }
}
