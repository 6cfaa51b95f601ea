package dev.spream.projection;

import dev.spream.projection.ProjectionOperations.Act;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Builds projections anew beside the ones that serve, and exchanges them. Whoever runs the projection builds the new version as
 * soon as it notices, within a second or so, and goes on after a crash where it was.
 *
 * <p>Safe for use by many threads. What fails is a {@link dev.spream.core.StorageException}. What cannot be done as things are
 * is an {@link IllegalStateException} that says why, with nothing changed. Every change is written down with who made it and
 * why.
 */
public interface ProjectionRebuilds {
    /** All versions, the first one first; empty if there is no such projection. */
    List<ProjectionVersion> versions(String projection);

    /** How far those are that are not live. */
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
     * @throws IllegalStateException if there is a shadow already, or no such projection, or its source has no positions
     */
    int rebuild(String projection, OptionalInt revision, long from, SkippedEvents skipped, Act act);

    /**
     * Compares a version with the live one. Both are held up until they are at the same positions; comparing holds nothing up.
     *
     * @param ignored columns that need not be the same, nor be there, such as times of writing; none if the store has no columns
     * @param patience how long to hold the live version up at most
     * @throws IllegalStateException if there is no such version, it does not catch up within that time, somebody has its tables for
     *     as long so that nobody reads them, neither version has a column that is to be ignored, or all columns that a table has in
     *     both are
     */
    VersionComparison parity(String projection, int version, Set<String> ignored, Duration patience);

    /**
     * Makes another version live, a shadow or a retired one; an earlier one is a rollback, and so it is called in the
     * audit. No event is applied meanwhile: the live version stands still until the other has caught up, and then both are
     * exchanged in one transaction. Readers see the old read model or the new one, complete: whoever reads by a snapshot in
     * which the other was not complete is waited for before, while everything goes on. The old one is kept and follows. The
     * epochs of both states and of all their segments are raised: whoever held a segment of either before writes nothing
     * any more, and takes it anew, knowing the new roles.
     *
     * <p>It is not made while somebody has stopped either: whether the other one goes on, and the live one is not paused, is asked
     * again when both stand still. Who pauses the projection meanwhile pauses the version that is live afterwards, if that one
     * is exchanged before. A live version that has failed is exchanged like one that goes on.
     *
     * <p>If the answer to its commit is lost, it may be done, and {@link #versions} tell; to repeat it for the same version is
     * harmless, and refused if that is live by then.
     *
     * <p>With the new tables others may do what they could with the old ones, and no more.
     *
     * <p>What belongs to the old tables beside rows and grants, such as row security, triggers and publications, the new ones must
     * have as well.
     *
     * <p>Of an aggregate that is parked in the version that becomes live, it is remembered up to which event side effects have
     * followed, see {@link ParkedAggregate#followed()}.
     *
     * @param patience how long to wait for readers at most, and then how long to hold the live version up at most
     * @param accepted what may be lost; nothing if empty
     * @throws IllegalStateException if there is no such version or it is live, it does not catch up within that time, it is
     *     not running, the live one is paused, something would be lost that is not accepted, see {@link CutoverReport.Losses},
     *     somebody reads for longer, its tables lack what the live ones have, or what would leave the place of the live
     *     tables is not known to be the live version's
     */
    CutoverReport cutOver(String projection, int version, Duration patience, Set<CutoverReport.Loss> accepted, Act act);

    /**
     * Removes a version that is not live, with its tables, and nothing that others have made.
     *
     * @throws IllegalStateException if there is no such version, or it is live, or something of others is among its tables or
     *     depends on them
     */
    void drop(String projection, int version, Act act);
}
