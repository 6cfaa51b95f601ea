package dev.spream.lock;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The report of a process on the locks that it holds and waits for at a moment, by name. It serves operators that
 * inspect the locks in the database, which shows only keys. It is delayed by about a second, and omits locks that are
 * held for less.
 *
 * @param process names the process and this use of the store in it, such as {@code orders-7f9c/4711/1}
 * @param owners those that have held or waited for longer than the interval
 * @param waits the number and the total time of waits since the previous report, for each key
 */
public record LockReport(String process, List<Owner> owners, List<BucketWaits> waits) {
    /**
     * Maximum number of {@linkplain Owner#isQueued queued} calls that a process reports: those that have waited
     * longest.
     */
    public static final int MAX_QUEUED = 100;

    public LockReport {
        owners = List.copyOf(owners);
        waits = List.copyOf(waits);
    }

    /**
     * A transaction that holds locks or waits for some, or a call that is queued in its process.
     *
     * @param session the id as in {@link AcquiredLocks#session}, or {@link #QUEUED} and a number of the call
     * @param label the program's name for the work under the locks; may be empty
     * @param held the targets that it holds, in their modes
     * @param wanted the targets that it waits for
     * @param heldFor how long it has held locks; zero if it holds none
     * @param waitingFor how long it has waited; zero if it does not wait
     */
    public record Owner(
            String session,
            String label,
            Map<LockTarget, LockMode> held,
            Map<LockTarget, LockMode> wanted,
            Duration heldFor,
            Duration waitingFor) {
        /** Prefix of the session of a call that waits in its process, without a connection. */
        public static final String QUEUED = "queued ";

        public Owner {
            held = Map.copyOf(held);
            wanted = Map.copyOf(wanted);
        }

        /** Returns whether it waits in its process, so that the database does not show it. */
        public boolean isQueued() {
            return session.startsWith(QUEUED);
        }
    }

    /**
     * The waits of one process for one key since its previous report.
     *
     * @param waits the number of waits
     * @param waited their total time
     */
    public record BucketWaits(LockKey key, long waits, Duration waited) {}
}
