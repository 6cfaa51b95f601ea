package dev.spream.outbox.worker;

/**
 * The number of entries that are claimed before there is a slot for them: as many as are sent during one claim, so that
 * slots are not idle while the store claims. With a sender that takes longer than a claim it is less than the number of
 * slots, and near 0 with a slow one, whose entries are better left to other workers. It is 0 while no attempt ends, as
 * with a receiver that hangs. Safe for use by many threads.
 */
final class ReadAhead {
    private static final int MAX_ROUNDS = 3;
    private static final double WEIGHT = 0.1;

    /** The number of average claims without the end of an attempt after which none is claimed ahead. */
    private static final int QUIET_CLAIMS = 10;

    private final int slots;

    // Guarded by this: moving averages in nanoseconds, 0 before the first value.
    private double claim;
    private double attempt;

    private long attemptedAt;

    /** @param slots the number of entries that are sent at the same time; 0 to claim none ahead */
    ReadAhead(int slots) {
        this.slots = slots;
    }

    /** Records the duration of a claim that returned entries. */
    synchronized void claimed(long nanos) {
        claim = average(claim, nanos);
    }

    /**
     * Records the duration of an attempt.
     *
     * @param now the time of its end
     */
    synchronized void attempted(long nanos, long now) {
        attempt = average(attempt, nanos);
        attemptedAt = now;
    }

    private static double average(double before, long nanos) {
        return before == 0 ? Math.max(1, nanos) : before + WEIGHT * (nanos - before);
    }

    /** Returns the number of entries, at most three for each slot; 0 until both durations are known. */
    synchronized int entries(long now) {
        boolean unknown = claim == 0 || attempt == 0 || now - attemptedAt > QUIET_CLAIMS * claim;
        return unknown ? 0 : (int) Math.min(slots * claim / attempt, (double) MAX_ROUNDS * slots);
    }
}
