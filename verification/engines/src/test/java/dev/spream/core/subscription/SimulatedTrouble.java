package dev.spream.core.subscription;

import java.util.random.RandomGenerator;

/**
 * The faults of one history, and their rates. Each history has some kinds of faults and not others, so that each is
 * tested alone as well as with all others; and an end of all faults, so that the history ends too.
 */
final class SimulatedTrouble {
    final RandomGenerator random;

    final double storageFailure;
    final double storageFatal;
    final double streamBreak;
    final double earlyOk;
    final double stall;
    final double repeatedRow;
    final double sourceFatal;
    final double consumerThrow;
    final double failInBatch;
    final double hang;
    final double ignoreInterrupt;
    final double flushFailure;
    final double sinkFailure;
    final double stop;
    final double handlerFailure;

    /** In nanoseconds. */
    final long longestLatency;

    private final double latency;
    private int left;
    private Runnable onStrike = () -> {};

    SimulatedTrouble(RandomGenerator random) {
        this.random = random;
        this.storageFailure = some(0.5, 0.1);
        this.storageFatal = some(0.1, 0.01);
        this.streamBreak = some(0.7, 0.6);
        this.earlyOk = some(0.4, 0.4);
        this.stall = some(0.3, 0.2);
        this.repeatedRow = some(0.3, 0.3);
        this.sourceFatal = some(0.1, 0.05);
        this.consumerThrow = some(0.6, 0.3);
        this.failInBatch = some(0.6, 0.2);
        this.hang = some(0.3, 0.1);
        this.ignoreInterrupt = some(0.3, 0.5);
        this.flushFailure = some(0.2, 0.05);
        this.sinkFailure = some(0.2, 0.1);
        this.stop = some(0.3, 0.2);
        this.handlerFailure = some(0.2, 0.1);
        this.latency = some(0.8, 0.8);
        this.longestLatency = 1L << (10 + random.nextInt(20));
        this.left = random.nextInt(60);
    }

    /** Zero in so many histories, and drawn up to a limit in the others. */
    private double some(double histories, double limit) {
        return random.nextDouble() < histories ? random.nextDouble(limit) : 0;
    }

    /** Returns whether a fault with that probability occurs now. */
    boolean strikes(double probability) {
        if (left == 0 || probability == 0 || random.nextDouble() >= probability) {
            return false;
        }
        left--;
        onStrike.run();
        return true;
    }

    /** Sets the action at each fault. */
    void onStrike(Runnable action) {
        onStrike = action;
    }

    /** From now on, nothing goes wrong any more. */
    void end() {
        left = 0;
    }

    /** Returns a random duration in nanoseconds, often zero. */
    long latency() {
        return latency > 0 && random.nextDouble() < latency ? random.nextLong(longestLatency) : 0;
    }
}
