package dev.spream.projection;

import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Which segments have parked aggregates that are due: asked about once a second by one of the loops for all of them, since
 * mostly none is. Nobody waits for who asks; the others go by what was answered before. Safe for use by many threads.
 */
final class DueSegments {
    private static final long EVERY = TimeUnit.SECONDS.toNanos(1);

    private final ManagerContext<?> manager;
    private final String projection;
    private final AtomicLong nextQuestion;
    private volatile Set<Integer> due = Set.of();

    DueSegments(ManagerContext<?> manager, String projection) {
        this.manager = manager;
        this.projection = projection;
        this.nextQuestion = new AtomicLong(manager.now());
    }

    /** Whether that one had some, a second or so ago. */
    boolean contains(int segment) {
        long now = manager.now();
        long next = nextQuestion.get();
        if (now - next >= 0 && nextQuestion.compareAndSet(next, now + EVERY)) {
            due = manager.store().dueSegments(projection);
        }
        return due.contains(segment);
    }
}
