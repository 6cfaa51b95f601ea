package dev.spream.projection;

import dev.spream.projection.ProjectionOperations.Act;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Rebuilds projections beside their live versions, and cuts over between versions. The processes that run the projection start to
 * build a new version within about a second, and resume it after a crash from its checkpoint.
 *
 * <p>Safe for use by many threads. Failures are {@link dev.spream.core.StorageException}s. An operation that the current state
 * does not allow throws an {@link IllegalStateException} with the reason and changes nothing. Every change is audited with its
 * author and reason.
 */
public interface ProjectionRebuilds {
    /** All versions, the first one first; empty if there is no such projection. */
    List<ProjectionVersion> versions(String projection);

    /** Returns the progress of the versions that are not live. */
    List<RebuildProgress> progress(String projection);

    /** The handling, in another version, of events that were skipped in the live one. */
    enum SkippedEvents {
        /** They are skipped in it as well, without being tried, and are among its dead letters from the beginning. */
        SKIP,
        /** They are applied like others, and parked if they fail. */
        TRY
    }

    /** Begins another version, in which events stay skipped that were skipped in the live one. */
    default int rebuild(String projection, OptionalInt revision, long from, Act act) {
        return rebuild(projection, revision, from, SkippedEvents.SKIP, act);
    }

    /**
     * Begins another version.
     *
     * @param revision of the code that is to write it; that of the live version if empty
     * @param from the position behind which its events begin, 0 for all. An aggregate of which earlier events are left out begins
     *     with the first one that is not
     * @param skipped what becomes of events that the live version has skipped by now
     * @return its number
     * @throws IllegalStateException if there is a candidate already, or no such projection, or its source has no positions
     */
    int rebuild(String projection, OptionalInt revision, long from, SkippedEvents skipped, Act act);

    /**
     * Compares a version with the live one. Both are held up until they are at the same positions; comparing holds nothing up.
     *
     * @param ignored columns that need not be the same, nor be there, such as times of writing; none if the store has no columns
     * @param timeout how long to hold the live version up at most
     * @throws IllegalStateException if there is no such version, it does not catch up within that time, a lock of another session
     *     keeps its tables from being read for as long, neither version has a column that is to be ignored, or all columns that a
     *     table has in both are
     */
    VersionComparison compare(String projection, int version, Set<String> ignored, Duration timeout);

    /**
     * Makes another version live, a candidate or a retired one; an earlier one is a rollback, and so it is called in the audit. No
     * event is applied meanwhile: the live version stops until the candidate has caught up, and then both are exchanged in one
     * transaction. Readers see the old read model or the new one, complete: before the live version stops, the cut-over waits for
     * readers with a snapshot in which the candidate was not complete. The old version is kept and follows. The epochs of both
     * states and of all their segments are raised: earlier holders of segments of either can no longer write, and claim them
     * again with the new roles.
     *
     * <p>It is refused while either is stopped: that the candidate is running and the live version not paused is checked again
     * when both stand still. A concurrent pause of the projection that comes after the exchange pauses the new live version. A
     * failed live version is exchanged like a running one.
     *
     * <p>If the answer to its commit is lost, it may be done, and {@link #versions} tell; to repeat it for the same version is
     * harmless, and refused if that is live by then.
     *
     * <p>With the new tables others may do what they could with the old ones, and no more.
     *
     * <p>What belongs to the old tables beside rows and grants, such as row security, triggers and publications, the new ones
     * must have as well.
     *
     * <p>Of an aggregate that is parked in the version that becomes live, it is remembered up to which event side effects have
     * followed, see {@link ParkedAggregate#followed()}.
     *
     * @param timeout how long to wait for readers at most, and then how long to hold the live version up at most
     * @param accepted what may be lost; nothing if empty
     * @throws IllegalStateException if there is no such version or it is live, it does not catch up within that time, it is not
     *     running, the live one is paused, something would be lost that is not accepted, see {@link CutoverReport.Losses}, a
     *     reader takes longer, its tables lack what the live ones have, or what would leave the place of the live tables is not
     *     known to be the live version's
     */
    CutoverReport cutOver(String projection, int version, Duration timeout, Set<CutoverReport.Loss> accepted, Act act);

    /**
     * Removes a version that is not live, with its tables, and nothing that others have made.
     *
     * @throws IllegalStateException if there is no such version, or it is live, or something of others is among its tables or
     *     depends on them
     */
    void drop(String projection, int version, Act act);
}
