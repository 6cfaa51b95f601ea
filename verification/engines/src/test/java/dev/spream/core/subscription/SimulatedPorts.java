package dev.spream.core.subscription;

import java.util.EnumSet;
import java.util.Set;

/**
 * The shared part of the ports of one process: each call of a port passes here before its effect and after it; at each
 * of these moments the process may be killed, be paused, or lose its connection to the storage.
 */
final class SimulatedPorts {

    /** The reasons for which a run may fail; it has to survive all others. */
    private static final Set<SimulationEvent> REASONS_TO_FAIL = EnumSet.of(
            SimulationEvent.SOURCE_FATAL,
            SimulationEvent.STORAGE_FATAL,
            SimulationEvent.STOP,
            SimulationEvent.HANDLER_FAILED,
            SimulationEvent.SINK_FAILED,
            SimulationEvent.FLUSH_FAILED);

    final SimulatedProcess process;
    final SimulatedTrouble trouble;
    final SimulationHistory history;

    private final SimulationJudge judge;
    private final SimulationTally all;
    private final SimulationTally mine = new SimulationTally();
    private long calls;
    private long crashAt = Long.MAX_VALUE;
    private long pauseAt = Long.MAX_VALUE;
    private long pause;
    private long outageAt = Long.MAX_VALUE;
    private long outage;
    private long outageUntil;

    /** @param all where what happens in all processes is added up */
    SimulatedPorts(
            SimulatedProcess process,
            SimulatedTrouble trouble,
            SimulationHistory history,
            SimulationJudge judge,
            SimulationTally all) {
        this.process = process;
        this.trouble = trouble;
        this.history = history;
        this.judge = judge;
        this.all = all;
    }

    /** Kills the process at that moment, the first being 1. */
    void crashAt(long call) {
        crashAt = call;
    }

    /** Pauses the process at that moment. */
    void pauseAt(long call, long nanos) {
        pauseAt = call;
        pause = nanos;
    }

    /** From that moment on the process does not reach the storage, for so long. */
    void outageAt(long call, long nanos) {
        outageAt = call;
        outage = nanos;
    }

    /** For how long the storage cannot be reached yet. */
    long outageLeft() {
        return calls < outageAt ? 0 : Math.max(0, outageUntil - process.nanoTime());
    }

    /** Returns the number of moments so far. */
    long calls() {
        return calls;
    }

    /** A call begins, or its effect is there and it returns. */
    void pass(String format, Object... arguments) {
        history.log(process, format, arguments);
        calls++;
        if (calls == outageAt) {
            history.log(process, "does not reach the storage for %d ns", outage);
            count(SimulationEvent.OUTAGE);
            outageUntil = process.nanoTime() + outage;
            disturb(outage);
        }
        if (calls == crashAt) {
            history.log(process, "CRASHES");
            count(SimulationEvent.CRASH);
            if (judge.storage.isInWait(judge.run(process))) {
                count(SimulationEvent.CRASH_IN_WAIT);
            }
            process.die();
        }
        if (calls == pauseAt) {
            history.log(process, "is paused for %d ns", pause);
            count(SimulationEvent.PAUSE);
            disturb(pause);
            process.pause(pause);
        }
    }

    /** The process is of no use for so long. */
    private void disturb(long nanos) {
        judge.shares.absent(judge.run(process), nanos);
        process.after(nanos, judge.shares::disturbed);
    }

    void count(SimulationEvent event) {
        all.count(event);
        mine.count(event);
        if (REASONS_TO_FAIL.contains(event)) {
            judge.shares.leaving(judge.run(process));
        }
    }

    /** Returns whether there was a reason for which a run may fail. */
    boolean hasReasonToFail() {
        return REASONS_TO_FAIL.stream().anyMatch(event -> mine.of(event) > 0);
    }

    /** Returns how often the event occurred in this process. */
    long of(SimulationEvent event) {
        return mine.of(event);
    }

    /** Returns whether a fault with that probability occurs now, and counts it. */
    boolean strikes(double probability, SimulationEvent kind) {
        if (!trouble.strikes(probability)) {
            return false;
        }
        count(kind);
        return true;
    }

    /** Lets a call take its time, before or after its effect. */
    void delay() {
        long latency = trouble.latency();
        if (latency > 0) {
            process.sleepUninterruptibly(latency);
        }
    }

    /** Lets other threads go first, or not. */
    void perhapsYield() {
        if (trouble.random.nextInt(4) == 0) {
            Thread.yield();
        }
    }
}
