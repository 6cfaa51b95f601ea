package dev.spream.projection.runner;

import dev.spream.core.ExponentialBackoff;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A slot for loops, which run one at a time; after one without progress, the next starts only after a pause. Confined
 * to a keeper's thread, unless stated otherwise.
 */
final class LoopSupervisor<T> {
    private final ManagerContext<T> manager;
    private final Function<Assignment, FeedLoop<T>> loops;
    private final String thread;
    private volatile @Nullable FeedLoop<T> loop;
    private final ExponentialBackoff backoff;
    private long notBefore;

    /**
     * @param loops creates its loops
     * @param thread the name of its threads
     */
    LoopSupervisor(ManagerContext<T> manager, Function<Assignment, FeedLoop<T>> loops, String thread) {
        this.manager = manager;
        this.loops = loops;
        this.thread = thread;
        this.backoff = new ExponentialBackoff(Duration.ofMillis(50), Duration.ofSeconds(5), manager.random());
        this.notBefore = manager.now();
    }

    void removeEnded() {
        FeedLoop<T> last = loop;
        if (last == null || !last.hasEnded()) {
            return;
        }
        loop = null;
        if (last.hasWorked()) {
            backoff.reset();
        }
        notBefore = manager.now() + backoff.next().toNanos();
    }

    boolean isEmpty() {
        return loop == null;
    }

    /** Returns the rest of the pause, in nanoseconds. */
    long pauseLeft() {
        return Math.max(0, notBefore - manager.now());
    }

    void start(Assignment assignment) {
        FeedLoop<T> next = loops.apply(assignment);
        loop = next;
        manager.threads().start(thread, next::run);
    }

    void stop() {
        loop().ifPresent(FeedLoop::stop);
    }

    /** Ends its loop at once. Called by any thread. */
    void cancel() {
        loop().ifPresent(FeedLoop::cancel);
    }

    private Optional<FeedLoop<T>> loop() {
        return Optional.ofNullable(loop);
    }
}
