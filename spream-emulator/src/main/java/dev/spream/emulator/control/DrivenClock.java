package dev.spream.emulator.control;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * A clock that stands still until it is driven. An emulator that was given one does nothing by the time of the machine that
 * it would do by the time of its database: heartbeats, ends, starts in the future, the retention period and churn all come
 * when the clock is moved there, and at once. Waiting threads are woken and continue by themselves: when {@link #advance}
 * returns, a heartbeat is due, but may not have been sent yet. However far the clock is moved, an idle query beats once.
 *
 * <p>Only what protects the emulator from clients that fell silent, such as transactions that are never ended, follows real time.
 *
 * <p>Safe for use by many threads.
 */
public final class DrivenClock implements InstantSource {
    private final Map<Object, Runnable> listeners =
            new ConcurrentHashMap<>(); // one that was added twice is called twice
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Instant now; // written under lock

    private DrivenClock(Instant start) {
        this.now = start;
    }

    /** A clock that shows that time. */
    public static DrivenClock startingAt(Instant start) {
        return new DrivenClock(requireNonNull(start, "start"));
    }

    @Override
    public Instant instant() {
        return now;
    }

    /**
     * Lets that much time pass.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("a clock does not go back, got " + duration.toMillis() + " ms");
        }
        move(current -> current.plus(duration));
    }

    /**
     * Moves it to that time.
     *
     * @throws IllegalArgumentException if it shows a later one
     */
    public void set(Instant instant) {
        requireNonNull(instant, "instant");
        move(current -> {
            if (instant.isBefore(current)) {
                throw new IllegalArgumentException("a clock does not go back, got " + instant + " at " + current);
            }
            return instant;
        });
    }

    private void move(Function<Instant, Instant> next) {
        lock.lock();
        try {
            now = next.apply(now);
        } finally {
            lock.unlock();
        }
        listeners.values().forEach(Runnable::run);
    }

    /**
     * Has something called on the thread that moves the clock, each time after it was moved. For what waits on this clock
     * beside the emulator; what is called must not wait.
     *
     * @return whose {@link Listening#close} ends that
     */
    public Listening onMove(Runnable listener) {
        Object place = new Object();
        listeners.put(place, requireNonNull(listener, "listener"));
        return () -> listeners.remove(place);
    }

    /** A listener's place at the clock. */
    @FunctionalInterface
    public interface Listening extends AutoCloseable {
        /** Ends it; a second time is harmless. */
        @Override
        void close();
    }
}
