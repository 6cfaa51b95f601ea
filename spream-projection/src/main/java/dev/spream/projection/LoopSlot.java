package dev.spream.projection;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where a loop runs, one at a time, and after one that got nothing done another one only after a pause. Confined to a
 * keeper's thread, but for what says otherwise.
 */
final class LoopSlot<T> {
    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_PAUSE = TimeUnit.SECONDS.toNanos(5);

    private final ProjectionContext<T> context;
    private final String thread;
    private volatile @Nullable FeedLoop<T> loop;
    private long pause = FIRST_PAUSE;
    private long notBefore;

    /**
     * An empty slot.
     *
     * @param thread the name of its threads
     */
    LoopSlot(ProjectionContext<T> context, String thread) {
        this.context = context;
        this.thread = thread;
        this.notBefore = context.now();
    }

    /** Forgets a loop that has ended. */
    void tidy() {
        FeedLoop<T> last = loop;
        if (last == null || !last.hasEnded()) {
            return;
        }
        loop = null;
        pause = last.hasWorked() ? FIRST_PAUSE : Math.min(2 * pause, LONGEST_PAUSE);
        notBefore = context.now() + pause / 2 + context.manager().random().nextLong(pause / 2);
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
