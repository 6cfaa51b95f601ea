package dev.spream.core.subscription;

import dev.spream.core.internal.MonotonicTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A process of a {@link SimulatedMachine}: the virtual threads that were started in it, and their time. A killed one
 * never runs again, whatever its threads were doing; a paused one continues later, without notice of the pause.
 */
public final class SimulatedProcess implements Executor, MonotonicTime {
    private static final long LONGEST_WAIT = 1L << 60;

    private final SimulatedMachine machine;
    private final String name;
    private final long clockOffset;
    private final Duration skew;
    private final List<Runnable> heldUp = new ArrayList<>();
    private boolean dead;
    private boolean paused;
    private long pausedAt;
    private long resumedAt = -1;
    private Runnable onKill = () -> {};

    SimulatedProcess(SimulatedMachine machine, String name, long clockOffset, Duration skew) {
        this.machine = machine;
        this.name = name;
        this.clockOffset = clockOffset;
        this.skew = skew;
    }

    /** Starts a virtual thread; those that it starts belong to the process as well. A failure of it fails the machine. */
    public Thread start(String threadName, Runnable body) {
        Thread thread = SimulatedInternals.virtualThreads(this).name(threadName).unstarted(() -> {
            try {
                body.run();
            } catch (Throwable t) {
                machine.fail(t);
            }
        });
        thread.start();
        return thread;
    }

    @Override
    public void execute(Runnable task) {
        if (!holdsUp(task)) {
            machine.enqueue(this, task);
        }
    }

    /** Returns whether the task does not run now, because the process is paused or killed. */
    boolean holdsUp(Runnable task) {
        if (paused && !dead) {
            heldUp.add(task);
        }
        return paused || dead;
    }

    /** Returns whether none of its threads runs now. */
    public boolean isHeldUp() {
        return paused || dead;
    }

    public void kill() {
        dead = true;
        heldUp.clear();
        onKill.run();
    }

    void onKill(Runnable action) {
        onKill = action;
    }

    public boolean isDead() {
        return dead;
    }

    /** Stops all threads, the calling one included, for that long. */
    public void pause(long nanos) {
        paused = true;
        pausedAt = machine.now();
        machine.at(pausedAt + nanos, () -> {
            paused = false;
            resumedAt = machine.now();
            heldUp.forEach(this::execute);
            heldUp.clear();
        });
        Thread.yield();
    }

    /**
     * The time, on the process's monotonic clock, that its threads may use: a time read before a pause is still valid
     * at the moment of its end.
     */
    long lastAwake() {
        return (machine.now() == resumedAt ? pausedAt : machine.now()) + clockOffset;
    }

    /** Kills the process that the calling thread belongs to. Does not return. */
    void die() {
        kill();
        while (true) {
            Thread.interrupted(); // an interrupted thread does not park
            LockSupport.park(this);
        }
    }

    /** Does something after that time, whatever becomes of this process; nothing of the process itself. */
    public void after(long nanos, Runnable action) {
        machine.at(machine.now() + nanos, action);
    }

    /** Waits until the condition holds, or the given time has passed. Code that makes it hold unparks the thread. */
    void await(long nanos, BooleanSupplier holds) throws InterruptedException {
        long deadline = machine.now() + nanos;
        Thread thread = Thread.currentThread();
        SimulatedMachine.Timer timer = machine.at(deadline, () -> LockSupport.unpark(thread));
        while (!holds.getAsBoolean() && machine.now() < deadline) {
            LockSupport.park(this);
            if (Thread.interrupted()) {
                timer.cancel();
                throw new InterruptedException(SimulatedFailure.message("interrupted"));
            }
        }
        timer.cancel();
    }

    /** Lets that much time pass. */
    public void sleep(long nanos) throws InterruptedException {
        await(nanos, () -> false);
    }

    /**
     * Sends a request that arrives after that time, whatever becomes of this process, and waits until it is answered,
     * whether interrupted or not.
     */
    void send(SimulatedRequest request, long latency) {
        if (latency == 0) {
            request.arrive();
            return;
        }
        Thread sender = Thread.currentThread();
        machine.at(machine.now() + latency, () -> {
            request.arrive();
            LockSupport.unpark(sender);
        });
        boolean interrupted = false;
        while (!request.isAnswered()) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            sender.interrupt();
        }
    }

    /** Lets that much time pass, whether interrupted or not. */
    public void sleepUninterruptibly(long nanos) {
        long deadline = machine.now() + nanos;
        boolean interrupted = Thread.interrupted();
        while (machine.now() < deadline) {
            try {
                sleep(deadline - machine.now());
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the time of this process's wall clock, which may be any. */
    @Override
    public Instant instant() {
        return machine.instant().plus(skew);
    }

    /** The true time, which the server of the change stream has. */
    Instant trueTime() {
        return machine.instant();
    }

    @Override
    public long nanoTime() {
        return machine.now() + clockOffset;
    }

    @Override
    @SuppressWarnings("WaitNotInLoop") // the caller's part
    public long awaitNanos(Condition condition, long nanos) throws InterruptedException {
        if (nanos <= 0) {
            return nanos;
        }
        long wait = Math.min(nanos, LONGEST_WAIT);
        long startedAt = machine.now();
        SimulatedMachine.Timer timer =
                machine.at(startedAt + wait, () -> start("timer", () -> SimulatedInternals.signalAll(condition)));
        try {
            condition.await();
        } finally {
            timer.cancel();
        }
        return nanos - (machine.now() - startedAt);
    }

    @Override
    public String toString() {
        return name;
    }
}
