package dev.spream.lock;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.SectionLock;
import dev.spream.core.internal.Waiter;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

    /** The runs of scheduled tasks under their locks, and the locks that are kept after a short run. Safe for many threads. */
    static final class Runs {
        private static final Logger log = LoggerFactory.getLogger(TaskLock.class);

        private final Set<Run> kept = ConcurrentHashMap.newKeySet();

        /** Runs the task under the handle, and closes it, or keeps it until the lock's minimum time is over. */
        <E extends Exception> void run(OpenHandle<?> handle, TaskLock lock, HierarchicalLocks.Task<E> task) throws E {
            handle.warnNever(); // the lock's maximum time limits it
            Run run = new Run(handle, lock);
            run.keeper.start();
            try (run) {
                task.run(handle);
            }
        }

        /** Releases the locks of finished runs. */
        void close() {
            kept.forEach(Run::release);
        }

        /**
         * A run of a task. Its keeper is a thread that takes the lock away from a run that takes too long, and keeps it
         * after a run that was short.
         */
        private final class Run implements AutoCloseable {
            private final OpenHandle<?> handle;
            private final TaskLock task;
            private final long start = System.nanoTime();
            private final Thread runner = Thread.currentThread();
            private final Thread keeper =
                    Thread.ofVirtual().name("spream-locks-task").unstarted(this::keep);
            private final Waiter changed = new Waiter(MonotonicTime.SYSTEM); // of the keeper
            private final SectionLock lock = new SectionLock();
            private boolean running = true; // guarded by the lock
            private boolean expired; // guarded by the lock

            private Run(OpenHandle<?> handle, TaskLock task) {
                this.handle = handle;
                this.task = task;
            }

            private void keep() {
                try {
                    if (!changed.await(leftOf(task.atMostFor()))) {
                        if (expire()) {
                            release();
                            return;
                        }
                        boolean ignored = changed.await(LONGEST); // the run is ending
                    }
                    if (kept.contains(this)) {
                        boolean ignored = changed.await(leftOf(task.atLeastFor()));
                        release();
                    }
                } catch (InterruptedException e) { // not expected
                    release();
                }
            }

            private Duration leftOf(Duration time) {
                return time.minusNanos(System.nanoTime() - start);
            }

            /** Interrupts a run that still lasts; returns whether it did. */
            private boolean expire() {
                boolean late = lock.get(() -> {
                    expired = running;
                    if (expired) {
                        runner.interrupt();
                    }
                    return expired;
                });
                if (late) {
                    log.warn("{}; it is interrupted", tooLong());
                }
                return late;
            }

            private String tooLong() {
                return "the scheduled task %s has run for more than %s: its lock is released, and another process may run it"
                        .formatted(task.target(), DurationText.of(task.atMostFor()));
            }

            /** Releases the locks; a loss was logged, and is harmless after the run. */
            private void release() {
                kept.remove(this);
                changed.signal();
                try {
                    handle.close();
                } catch (LockException e) {
                    log.debug("the lock of the scheduled task {} was lost after its run", task.target());
                }
            }

            /**
             * Ends the run.
             *
             * @throws LockLostException if the lock was lost before, or released because the run took too long
             */
            @Override
            public void close() {
                boolean late = lock.get(() -> {
                    running = false;
                    return expired;
                });
                if (late) {
                    boolean ignored = Thread.interrupted(); // by the keeper
                    throw new LockLostException(tooLong(), null);
                }
                try {
                    if (!keepIfShort()) {
                        handle.close();
                    }
                } finally {
                    changed.signal();
                }
            }

            private boolean keepIfShort() {
                boolean keep = leftOf(task.atLeastFor()).isPositive() && handle.isHeld();
                if (keep) {
                    handle.passTo(keeper);
                    kept.add(this);
                }
                return keep;
            }
        }
    }
}
