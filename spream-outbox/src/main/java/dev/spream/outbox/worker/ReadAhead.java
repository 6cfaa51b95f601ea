package dev.spream.outbox.worker;

/**
 * The number of entries that are claimed before there is a slot for them: as many as are sent during one claim, so that
 * slots are not idle while the store claims. With a sender that takes longer than a claim it is less than the number of
 * slots, and near 0 with a slow one, whose entries are better left to other workers. Safe for use by many threads.
 */
final class ReadAhead {
    private static final int MAX_ROUNDS = 3;
    private static final double WEIGHT = 0.1;

    private final int slots;

    // Guarded by this: moving averages in nanoseconds, 0 before the first value.
    private double claim;
    private double attempt;

    /** @param slots the number of entries that are sent at the same time; 0 to claim none ahead */
    ReadAhead(int slots) {
        this.slots = slots;
    }

    /** Records the duration of a claim that returned entries. */
    synchronized void claimed(long nanos) {
        claim = average(claim, nanos);
    }

    /** Records the duration of an attempt. */
    synchronized void attempted(long nanos) {
        attempt = average(attempt, nanos);
    }

    private static double average(double before, long nanos) {
        return before == 0 ? Math.max(1, nanos) : before + WEIGHT * (nanos - before);
    }

    /** Returns the number of entries, at most three for each slot; 0 until both durations are known. */
    synchronized int entries() {
        return claim == 0 || attempt == 0 ? 0 : (int) Math.min(slots * claim / attempt, (double) MAX_ROUNDS * slots);
    }
}
