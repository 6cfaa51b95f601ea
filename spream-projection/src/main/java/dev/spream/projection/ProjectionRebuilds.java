package dev.spream.projection;

import dev.spream.projection.ProjectionOperations.Act;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Rebuilds projections beside their live versions, and cuts over between versions. The processes that run the
 * projection start to build a new version within about a second, and resume it after a crash from its checkpoint.
 *
 * <p>Safe for use by many threads. Failures are {@link dev.spream.core.StorageException}s. An operation that the
 * current state does not allow throws an {@link IllegalStateException} with the reason and changes nothing. Every
 * change is audited with its author and reason.
 */
public interface ProjectionRebuilds {
    /** Returns all versions, the first one first; empty if there is no such projection. */
    List<ProjectionVersion> versions(String projection);

    /** Returns the progress of the versions that are not live. */
    List<RebuildProgress> progress(String projection);

    /** The handling, in another version, of events that were skipped in the live one. */
    enum SkippedEvents {
        /** They are skipped without being tried, and are among its dead letters from the beginning. */
        SKIP,
        /** They are applied like other events, and parked if they fail. */
        TRY
    }

    /** Begins another version, which skips the events that were skipped in the live one. */
    default int rebuild(String projection, OptionalInt revision, long from, Act act) {
        return rebuild(projection, revision, from, SkippedEvents.SKIP, act);
    }

    /**
     * Begins another version.
     *
     * @param revision the revision of the code that is to write it; that of the live version if empty
     * @param from the position after which its events begin, 0 for all. An aggregate whose earlier events are left out
     *     begins with its first event after the position
     * @param skipped the handling of events that the live version has skipped by now
     * @return its number
     * @throws IllegalStateException if there is a candidate already, or no such projection, or its source has no
     *     positions
     */
    int rebuild(String projection, OptionalInt revision, long from, SkippedEvents skipped, Act act);

    /**
     * Compares a version with the live one. Both are stopped until they are at the same positions; the comparison
     * itself stops nothing.
     *
     * @param ignored columns that may differ or be missing, such as times of writing; none if the store has no columns
     * @param timeout the maximum time for which the live version is stopped
     * @throws IllegalStateException if there is no such version; it does not catch up within the timeout, or a lock of
     *     another session keeps its tables from being read for that time; neither version has a column that is to be
     *     ignored; or no column of a table remains to be compared
     */
    VersionComparison compare(String projection, int version, Set<String> ignored, Duration timeout);

    /**
     * Makes another version live: a candidate, or a retired version. The audit calls a change to an earlier version a
     * rollback.
     *
     * <p>The live version stops applying events until the other one has caught up; then one transaction exchanges their
     * roles. Readers see the old read model or the new one, each complete: before the live version stops, the cutover
     * waits for readers whose snapshot is older than the completed candidate. The old version is kept and follows the
     * new one. The epochs of both states and of all their segments are raised, so that earlier holders of segments can
     * no longer write, and claim them again with the new roles.
     *
     * <p>The cutover is refused unless the candidate is running and the live version is not paused. This is checked
     * again when both have stopped applying events. A pause of the projection that comes after the exchange pauses the
     * new live version. A failed live version is exchanged like a running one.
     *
     * <p>If the confirmation of its commit is lost, the cutover may have succeeded; {@link #versions} shows the live
     * version. Repeating it for the same version is harmless; it is refused if that version is live already.
     *
     * <p>The new tables get the grants of the old ones, and no others.
     *
     * <p>Other properties of the old tables, such as row security, triggers and publications, must exist on the new
     * ones as well.
     *
     * <p>For an aggregate that is parked in the version that becomes live, the last event with side effects is
     * recorded, see {@link ParkedAggregate#followed()}.
     *
     * @param timeout the maximum time to wait for readers, and then the maximum time for which the live version is
     *     stopped
     * @param accepted the losses that are accepted
     * @throws IllegalStateException if there is no such version or it is live already; it is not running, or the live
     *     one is paused; it does not catch up, or a reader does not end, within the timeout; a {@linkplain
     *     CutoverReport.Losses loss} is not accepted; its tables lack a property of the live ones; or the tables in the
     *     place of the live ones are not known to belong to the live version. Nothing was changed
     */
    CutoverReport cutOver(String projection, int version, Duration timeout, Set<CutoverReport.Loss> accepted, Act act);

    /**
     * Removes a version that is not live, with its tables and its state. Database objects that it did not create are
     * not removed.
     *
     * @throws IllegalStateException if there is no such version, it is live, or other database objects are among its
     *     tables or depend on them
     */
    void drop(String projection, int version, Act act);
}
