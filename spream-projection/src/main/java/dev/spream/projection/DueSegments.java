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

    private final ProjectionContext<?> context;
    private final AtomicLong nextQuestion;
    private volatile Set<Integer> due = Set.of();

    DueSegments(ProjectionContext<?> context) {
        this.context = context;
        this.nextQuestion = new AtomicLong(context.now());
    }

    /** Whether that one had some, a second or so ago. */
    boolean contains(int segment) {
        long now = context.now();
        long next = nextQuestion.get();
        if (now - next >= 0 && nextQuestion.compareAndSet(next, now + EVERY)) {
            due = context.store().dueSegments(context.name());
        }
        return due.contains(segment);
    }
}
