package dev.spream.lock;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import java.time.Duration;

/**
 * The lock of a scheduled task that one process at a time may run: see {@link HierarchicalLocks#runOnce}.
 *
 * @param target the target to lock exclusively, the same in all processes
 * @param atMostFor the maximum time of a run, up to 365 days; a run that takes longer loses its lock, so that another
 *     process can run the task
 * @param atLeastFor the minimum time for which the lock is held from the beginning of a run, zero to {@code atMostFor}:
 *     longer than the clocks of the processes differ, and shorter than the time between two runs
 */
public record TaskLock(LockTarget target, Duration atMostFor, Duration atLeastFor) {
    /** The parent of all {@linkplain #named named} tasks: a process that locks it exclusively stops them all. */
    public static final LockTarget TASKS = LockTarget.of("tasks");

    static final Duration LONGEST = Duration.ofDays(365);

    public TaskLock {
        requireNonNull(target, "target");
        requireBetween("atMostFor", atMostFor, Duration.ofMillis(1), LONGEST);
        requireBetween("atLeastFor", atLeastFor, Duration.ZERO, LONGEST);
        if (atLeastFor.compareTo(atMostFor) > 0) {
            throw new IllegalArgumentException("atLeastFor is %s, must not be longer than atMostFor, %s"
                    .formatted(DurationText.of(atLeastFor), DurationText.of(atMostFor)));
        }
    }

    /** Returns the lock of the task with that name, below {@link #TASKS}. */
    public static TaskLock named(String name, Duration atMostFor, Duration atLeastFor) {
        return new TaskLock(LockTarget.of("tasks", name), atMostFor, atLeastFor);
    }
}
