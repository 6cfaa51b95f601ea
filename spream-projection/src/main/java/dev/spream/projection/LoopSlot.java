package dev.spream.projection;

import dev.spream.core.ExponentialBackoff;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a loop runs, one at a time, and after one that got nothing done another one only after a pause. Confined to a
 * keeper's thread, but for what says otherwise.
 */
final class LoopSlot<T> {
    private final ProjectionContext<T> context;
    private final String thread;
    private volatile @Nullable FeedLoop<T> loop;
    private final ExponentialBackoff backoff;
    private long notBefore;

    /**
     * An empty slot.
     *
     * @param thread the name of its threads
     */
    LoopSlot(ProjectionContext<T> context, String thread) {
        this.context = context;
        this.thread = thread;
        this.backoff = new ExponentialBackoff(
                Duration.ofMillis(50), Duration.ofSeconds(5), context.manager().random());
        this.notBefore = context.now();
    }

    /** Forgets a loop that has ended. */
    void tidy() {
        FeedLoop<T> last = loop;
        if (last == null || !last.hasEnded()) {
            return;
        }
        loop = null;
        if (last.hasWorked()) {
            backoff.reset();
        }
        notBefore = context.now() + backoff.next().toNanos();
    }

    boolean isEmpty() {
        return loop == null;
    }

    /** How long it is to stay empty yet, in nanoseconds. */
    long pauseLeft() {
        return Math.max(0, notBefore - context.now());
    }

    void start(Assignment assignment) {
        FeedLoop<T> next = new FeedLoop<>(context, assignment);
        loop = next;
        context.manager().threads().start(thread, next::run);
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
