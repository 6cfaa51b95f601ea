package dev.spream.lock.inspection;

import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockReport;
import java.time.Instant;
import java.util.List;

/**
 * The locks in a database at a moment, as it shows them, and the last reports of the processes. The database knows keys
 * and sessions, and which of them wait for which; the names are those of the processes. {@link LockExplanation} puts
 * the two together.
 *
 * @param at when, by the database's clock
 * @param space the bucket space
 * @param complete whether the database shows every key that is held; if it shows only those that are waited for, or
 *     none, the other locks of a session are known from its report alone
 * @param sessions all that hold locks or wait for some, and all that these wait for, directly or not, whatever they do
 * @param reports the reports of live processes, late by about a second
 * @param waits the number and the total time of waits for each key in the last {@value #WAITS_KEPT_HOURS} hours
 * @param ending the statement that ends a session, with {@code ?} for its id: its changes are rolled back, its locks
 *     released
 * @param notes the information that this user lacks permission to see, and the privileges to grant
 */
public record LockObservation(
        Instant at,
        BucketSpace space,
        boolean complete,
        List<LockSession> sessions,
        List<Reported> reports,
        List<LockReport.BucketWaits> waits,
        String ending,
        List<String> notes) {
    /** The period over which waits are counted. */
    public static final int WAITS_KEPT_HOURS = 24;

    public LockObservation {
        sessions = List.copyOf(sessions);
        reports = List.copyOf(reports);
        waits = List.copyOf(waits);
        notes = List.copyOf(notes);
    }

    /**
     * The report of a process about one of its transactions.
     *
     * @param process as in {@link LockReport#process}
     * @param owner with the times as they are now, not as they were at the time of the report
     */
    public record Reported(String process, LockReport.Owner owner) {}
}
