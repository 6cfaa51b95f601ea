package dev.spream.core.subscription;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A machine on which everything that happens follows from one seed: it has one carrier, which runs the virtual threads of
 * its processes one after the other, and a clock that moves only when all of them wait. Confined to the platform thread
 * that calls {@link #run}, which is the carrier; so what runs on it needs no locks of its own.
 *
 * <p>A virtual thread runs until it parks. Which of the runnable ones is next is drawn, or is the longest waiting one: both
 * are orders that a real scheduler can produce. Threads inherit their process from the thread that starts them, so a
 * process can be killed or paused as a whole, from outside, at any point where one of its threads waits or calls a port.
 */
public final class SimulatedMachine {
    /** The time at which every machine starts. */
    static final Instant EPOCH = Instant.parse("2026-01-01T10:00:00Z");

    private static final int MAX_STEPS = 4_000_000;

    /** Something that happens at a time unless it is cancelled. */
    static final class Timer {
        private final long at;
        private final long sequence;
        private final Runnable action;
        private boolean cancelled;

        private Timer(long at, long sequence, Runnable action) {
            this.at = at;
            this.sequence = sequence;
            this.action = action;
        }

        void cancel() {
            cancelled = true;
        }
    }

    private record Step(SimulatedProcess process, Runnable task) {}

    private final RandomGenerator random;
    private final boolean shuffled;
    private final List<Step> runnable = new ArrayList<>();
    private final PriorityQueue<Timer> timers = new PriorityQueue<>(
            Comparator.<Timer>comparingLong(timer -> timer.at).thenComparingLong(timer -> timer.sequence));
    private final Thread carrier = Thread.currentThread();
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private long now;
    private long timersSet;
    private volatile @Nullable Throwable failure;

    /**
     * A machine.
     *
     * @param shuffled whether the next thread is drawn from the random numbers
     */
    public SimulatedMachine(RandomGenerator random, boolean shuffled) {
        this.random = random;
        this.shuffled = shuffled;
    }

    /** Runs the body in a process of its own until it has ended, or until something failed, which is thrown. */
    public void run(Runnable body) {
        SimulatedProcess operator = process("machine", 0, Duration.ZERO);
        Thread thread = operator.start("machine", body);
        for (int steps = 0; thread.isAlive() && failure == null; steps++) {
            if (steps == MAX_STEPS) {
                fail(new AssertionError("no end after " + MAX_STEPS + " steps, at " + instant()));
            } else if (!runnable.isEmpty()) {
                step();
            } else if (!advance()) {
                fail(new AssertionError("every thread waits, and for no time, at " + instant()));
            }
        }
        processes.forEach(SimulatedProcess::kill);
        switch (failure) {
            case null -> {}
            case Error e -> throw e;
            case RuntimeException e -> throw e;
            case Throwable t -> throw new AssertionError(t);
        }
    }

    private void step() {
        Step next = runnable.remove(shuffled ? random.nextInt(runnable.size()) : 0);
        if (!next.process().holdsUp(next.task())) {
            next.task().run();
        }
    }

    private boolean advance() {
        Timer next = timers.poll();
        while (next != null && next.cancelled) {
            next = timers.poll();
        }
        if (next == null) {
            return false;
        }
        now = Math.max(now, next.at);
        next.action.run();
        return true;
    }

    /**
     * A new process.
     *
     * @param clockOffset where its monotonic clock starts from
     * @param skew how far its wall clock is ahead of the true time
     */
    public SimulatedProcess process(String name, long clockOffset, Duration skew) {
        SimulatedProcess process = new SimulatedProcess(this, name, clockOffset, skew);
        processes.add(process);
        return process;
    }

    void enqueue(SimulatedProcess process, Runnable task) {
        Thread caller = Thread.currentThread();
        if (!caller.isVirtual() && !caller.equals(carrier)) {
            fail(new AssertionError(
                    "a thread of %s was woken by %s: some wait follows the system's time".formatted(process, caller)));
            return;
        }
        runnable.add(new Step(process, task));
    }

    Timer at(long when, Runnable action) {
        Timer timer = new Timer(when, timersSet++, action);
        timers.add(timer);
        return timer;
    }

    /** Nanoseconds since {@link #EPOCH}. */
    public long now() {
        return now;
    }

    public Instant instant() {
        return EPOCH.plusNanos(now);
    }

    /** Ends the run with this failure, the first one if there are several. */
    public void fail(Throwable t) {
        if (failure == null) {
            failure = t;
        }
    }

    boolean hasFailed() {
        return failure != null;
    }
}
