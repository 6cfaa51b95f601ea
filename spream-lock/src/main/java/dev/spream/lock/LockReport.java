package dev.spream.lock;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The report of a process on the locks that it holds and waits for at a moment, by name. It is for people who look at
 * locks in the database, where only keys can be seen; it is late by up to a second or so, and says nothing of what is
 * held for less.
 *
 * @param process names the process and this use of the store in it, such as {@code orders-7f9c/4711/1}
 * @param owners those that have held or waited for longer than the interval
 * @param waits how often and how long locks were waited for since the report before, for each key
 */
public record LockReport(String process, List<Owner> owners, List<BucketWaits> waits) {
    /** How many {@linkplain Owner#isQueued queued} calls a process reports at most, those that wait longest. */
    public static final int MAX_QUEUED = 100;

    public LockReport {
        owners = List.copyOf(owners);
        waits = List.copyOf(waits);
    }

    /**
     * A transaction that holds locks or waits for some, or a call that is queued in its process.
     *
     * @param session as in {@link AcquiredLocks#session}, or {@link #QUEUED} and a number of the call
     * @param label what the program calls the work that it locks for; may be empty
     * @param held the targets that it holds, in their modes
     * @param wanted the targets that it waits for
     * @param heldFor since when it holds anything; zero if nothing
     * @param waitingFor since when it waits; zero if it does not
     */
    public record Owner(
            String session,
            String label,
            Map<LockTarget, LockMode> held,
            Map<LockTarget, LockMode> wanted,
            Duration heldFor,
            Duration waitingFor) {
        /** How the session of a call begins that waits in its process, without a connection. */
        public static final String QUEUED = "queued ";

        public Owner {
            held = Map.copyOf(held);
            wanted = Map.copyOf(wanted);
        }

        /** Whether it waits in its process, so that the database does not show it. */
        public boolean isQueued() {
            return session.startsWith(QUEUED);
        }
    }

    /**
     * Waits for one key.
     *
     * @param waits how many
     * @param waited how long together
     */
    public record BucketWaits(LockKey key, long waits, Duration waited) {}
}
