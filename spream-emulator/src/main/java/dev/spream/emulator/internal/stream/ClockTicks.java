package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.DrivenClock;
import java.time.Duration;

/**
 * The ticks of the emulator's clock for work that recurs: one each period, or one after each move of a clock that a test
 * moves. Confined to one thread, except that any thread may close it.
 */
public final class ClockTicks implements AutoCloseable {
    private final ClockMode time;
    private final TimedWait gate = new TimedWait();
    private final DrivenClock.Listening moves;
    private long seenWakes;
    private volatile boolean closed;

    ClockTicks(ClockMode time) {
        this.time = time;
        this.moves = time.onMove(gate::wake);
    }

    /** Waits for the next tick; returns false when closed. A move during the work after a tick is a tick of its own. */
    public boolean await(Duration period) throws InterruptedException {
        gate.await(seenWakes, time.realNanos(period.toNanos()));
        seenWakes = gate.wakes();
        return !closed;
    }

    @Override
    public void close() {
        closed = true;
        moves.close();
        gate.open();
    }
}
