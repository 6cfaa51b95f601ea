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
 * A clock that stands still until it is advanced. In an emulator with this clock, everything that depends on the time
 * of its database follows this clock instead of the machine's: heartbeats, ends, starts in the future, the retention
 * period, row deletion policies and churn take effect as soon as the clock reaches them. Waiting threads are woken and continue
 * asynchronously: when {@link #advance} returns, a heartbeat is due, but may not have been sent yet. However far the
 * clock is moved, an idle query sends one heartbeat.
 *
 * <p>Only the protection against silent clients, such as the timeout of transactions that are never ended, follows real
 * time.
 *
 * <p>Safe for use by many threads.
 */
public final class DrivenClock implements InstantSource {
    private final Map<Object, Runnable> listeners =
            new ConcurrentHashMap<>(); // a listener that was added twice is called twice
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Instant now; // written under lock

    private DrivenClock(Instant start) {
        this.now = start;
    }

    /** Returns a clock that shows the given time. */
    public static DrivenClock startingAt(Instant start) {
        return new DrivenClock(requireNonNull(start, "start"));
    }

    @Override
    public Instant instant() {
        return now;
    }

    /**
     * Advances the clock by the given duration.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public void advance(Duration duration) {
        if (duration.isNegative()) {
            throw new IllegalArgumentException("the clock cannot be moved back, got " + duration.toMillis() + " ms");
        }
        move(current -> current.plus(duration));
    }

    /**
     * Moves the clock to the given time.
     *
     * @throws IllegalArgumentException if the clock shows a later one
     */
    public void set(Instant instant) {
        requireNonNull(instant, "instant");
        move(current -> {
            if (instant.isBefore(current)) {
                throw new IllegalArgumentException("the clock cannot be moved back, got " + instant + " at " + current);
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
     * Registers a listener that is called on the thread that moves the clock, after each move. It is for code other
     * than the emulator that waits on this clock; the listener must not block.
     *
     * @return the registration; {@link Listening#close} ends it
     */
    public Listening onMove(Runnable listener) {
        Object place = new Object();
        listeners.put(place, requireNonNull(listener, "listener"));
        return () -> listeners.remove(place);
    }

    /** The registration of a listener at the clock; closing it ends the registration. */
    @FunctionalInterface
    public interface Listening extends AutoCloseable {
        /** Ends the registration; a second call is harmless. */
        @Override
        void close();
    }
}
