package dev.spream.core.subscription;

/**
 * What the ports of one process share: each call of a port passes here before its effect and after it, and at one of these
 * moments the process may die or be paused.
 */
final class SimulatedPorts {
    final SimulatedProcess process;
    final SimulatedTrouble trouble;
    final SimulationHistory history;

    private long calls;
    private long crashAt = Long.MAX_VALUE;
    private long pauseAt = Long.MAX_VALUE;
    private long pause;

    SimulatedPorts(SimulatedProcess process, SimulatedTrouble trouble, SimulationHistory history) {
        this.process = process;
        this.trouble = trouble;
        this.history = history;
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

    /** How many moments have passed. */
    long calls() {
        return calls;
    }

    /** A call begins, or its effect is there and it returns. */
    void pass(String format, Object... arguments) {
        history.log(process, format, arguments);
        calls++;
        if (calls == crashAt) {
            history.log(process, "CRASHES");
            trouble.tally.count(SimulationEvent.CRASH);
            process.die();
        }
        if (calls == pauseAt) {
            history.log(process, "is paused for %d ns", pause);
            trouble.tally.count(SimulationEvent.PAUSE);
            process.pause(pause);
        }
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
