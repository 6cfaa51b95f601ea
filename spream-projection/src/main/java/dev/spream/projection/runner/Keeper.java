package dev.spream.projection.runner;

/** Keeps the loops of a projection running while the projection runs, on a thread of its own. Stopped by any thread. */
interface Keeper {
    /** Works until it is stopped and its loops have ended. */
    void run() throws InterruptedException;

    /** Lets loops finish their batches, and ends. */
    void stop();

    /** Interrupts loops, and ends. */
    void cancel();

    /** Interrupts loops that may no longer write. Called by any thread. */
    void checkLease();

    /** Returns the number of segments held; 0 for a source without positions. */
    int held();
}
