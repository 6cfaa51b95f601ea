package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedItem;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The store of projections' states, in the database of their read models. All times are the store's own; they are never
 * compared with another clock.
 *
 * <p>Effects are written by {@link #apply} and {@link #retry} alone, each one transaction: effects, the states of
 * aggregates, and the checkpoint are committed together or not at all. Both check their {@link Fence} in the
 * transaction: an owner that has lost its lease has no effect, nor has any after {@link ProjectionOperations#pause} has
 * returned.
 *
 * <p>A projection has {@linkplain ProjectionVersion versions}, each with a state of its own: a parameter {@code
 * projection} is the {@linkplain ProjectionVersion#stateName() name of a version's state}. A version that is not live
 * writes to tables of its own; it writes while it is {@link ProjectionStatus#REBUILDING}, as the live one does while it
 * is {@code RUNNING}.
 *
 * <p>Safe for use by many threads. Failures are {@link dev.spream.core.StorageException}s unless a method states
 * otherwise; the operation may have taken effect then, and every operation may be repeated.
 *
 * @param <T> a transaction of the database, such as a connection
 */
public interface ProjectionStore<T> extends AutoCloseable {
    /** Returns the type of transaction that {@link #apply} and {@link #retry} hand to their work. */
    Class<T> transactionType();

    /**
     * Returns the state of the live version of a projection, by the name of the projection. If there is no such
     * projection, its first version is created with that code, live and running. If the live version has that revision,
     * the stored properties of its code are updated.
     *
     * @param segments the number of segments of a new projection, a power of 2 up to 256; 0 for a source without
     *     positions. An existing one keeps its number until {@link ProjectionOperations#split}
     * @throws IllegalArgumentException if it exists with segments and is to have none, or the other way round
     */
    ProjectionState register(String projection, int segments, ProjectionCode code);

    /**
     * Registers a projection with {@linkplain ProjectionCode#PLAIN code of the first revision}, without tables to
     * exchange and without side effects.
     */
    default ProjectionState register(String projection, int segments) {
        return register(projection, segments, ProjectionCode.PLAIN);
    }

    /**
     * Returns all versions of a projection, by the name of the projection, the first version first; empty if it is not
     * registered.
     */
    List<ProjectionVersion> versions(String projection);

    /**
     * Creates the read model of a version with the given work, in one transaction that uses the location of the
     * version's tables, and stores the properties of its code. Does nothing if it was created before; waits for a
     * concurrent creation.
     *
     * @return false if the version no longer exists; nothing was done then
     * @throws Exception what the work threw; nothing changed
     */
    boolean prepare(ProjectionVersion version, ProjectionCode code, Preparation<T> create) throws Exception;

    /** Creates the tables of a read model. */
    @FunctionalInterface
    interface Preparation<T> {
        void create(T transaction) throws Exception;
    }

    /**
     * Returns the id of a version's {@linkplain ExternalReadModel read model outside of the database}. If none is
     * recorded, the read model is begun and its id stored, in one transaction; waits for a concurrent call.
     *
     * @return empty if the version no longer exists; nothing was done then
     * @throws ProjectionException a fatal one if no id is recorded though events were processed; nothing changed
     * @throws Exception the failure of the beginning; nothing changed
     */
    Optional<String> outsideModel(ProjectionVersion version, Beginning beginning) throws Exception;

    /** Begins a read model outside of the database. */
    @FunctionalInterface
    interface Beginning {
        /** Returns its id. */
        String begin() throws Exception;
    }

    /**
     * Returns the position up to which a version that is not live may be advanced: that of the live version in the
     * segment. {@link #apply} refuses a higher position with a retryable {@link dev.spream.core.StorageException}, and
     * changes nothing. Positions never go back, so a returned limit remains valid until roles are exchanged, or the
     * number of segments changes. 0 for a segment that no longer exists.
     */
    long limit(ProjectionVersion version, int segment);

    /**
     * Returns the events that were skipped in a projection, and those that a version has to skip because the live
     * version did when it was begun: the versions of each aggregate.
     */
    Map<String, Set<Long>> skipped(String projection);

    /**
     * Measures how fast a version that is not live is built; its processes call this about once a second.
     *
     * @return its progress; empty if the version no longer exists, or is live
     */
    Optional<RebuildProgress> built(ProjectionVersion version);

    /**
     * Returns the progress of the live version of a projection, by the name of the projection, and the states of
     * aggregates in it, all as of one moment: what it states is visible to transactions that begin later.
     *
     * @throws dev.spream.core.StorageException non-retryable, if there is no such projection
     */
    ProjectionProgress progress(String projection, Set<String> aggregates);

    /** Returns the state of a projection; empty if there is no such projection. */
    Optional<ProjectionState> state(String projection);

    /**
     * Renews the leases of the owner's segments, claims free segments up to its share, and releases segments. Every owner calls
     * this well within each lease, whether it holds any or not.
     *
     * @param giveUp the segments to release, which others may claim at once
     */
    SegmentShare holdSegments(String projection, ProjectionOwner owner, Set<Integer> giveUp, Duration lease);

    /** Releases all segments of an owner that has stopped. */
    void leave(String projection, ProjectionOwner owner);

    /**
     * Applies a batch in one transaction: checks the fence, reads the states of the aggregates, calls the work, and
     * writes the checkpoint that it returned. No other transaction can change these states until it ends.
     *
     * @param keys the aggregates of the batch
     * @return false if the fence did not hold; the work was not done then, and nothing changed
     * @throws Exception what the work threw; nothing changed
     */
    boolean apply(Fence fence, Set<String> keys, Work<T> work) throws Exception;

    /** The work of a batch. */
    @FunctionalInterface
    interface Work<T> {
        /**
         * Applies the batch.
         *
         * @param states the states of all aggregates of the batch, {@link AggregateState#NEW} for new ones
         */
        BatchCheckpoint apply(T transaction, Map<String, AggregateState> states) throws Exception;
    }

    /**
     * Classifies a failure of a projection other than a {@link ProjectionException}, by the meaning of this
     * database's errors.
     */
    FailureKind failureKind(Exception failure);

    /**
     * Returns the text that may be stored and logged of a failure other than a {@link dev.spream.core.SpreamException}:
     * as much as helps to diagnose it, but no contents of events, which most messages of a database may have. By
     * default the types of the failure and its causes, and where they were thrown. Does not call the database.
     */
    default String describe(Exception failure) {
        return ProjectionException.types(failure);
    }

    /**
     * Returns parked aggregates that are due for a retry, those due longest first, including those whose missing event
     * has arrived. For a segment, those that were parked by it.
     */
    List<ParkedAggregate> due(Fence fence, int limit);

    /** Returns the segments for which {@link #due} would return something; none for a projection without segments. */
    Set<Integer> dueSegments(String projection);

    /** Returns a summary of the parked aggregates; {@link ParkedSummary#NONE} if there is no such projection. */
    ParkedSummary parkedSummary(String projection);

    /**
     * Tries a parked aggregate again, in one transaction: passes its kept events to the work, in order, stores the version that
     * it returned, and deletes the events up to that version. If none are left, the aggregate is no longer parked.
     *
     * @param limit the maximum number of events
     * @return empty if the fence did not hold, or the aggregate is not parked, or another transaction has it locked; nothing
     *     changed then
     * @throws Exception what the work threw; nothing changed
     */
    Optional<AggregateState> retry(Fence fence, String key, int limit, RetryWork<T> work) throws Exception;

    /** The work of one retry of a parked aggregate. */
    @FunctionalInterface
    interface RetryWork<T> {
        /**
         * Applies some of the events, from the first on.
         *
         * @param events at least one; the first may leave a gap behind {@code lastVersion}
         * @return the last version that was applied; {@code lastVersion} for none
         */
        long apply(T transaction, long lastVersion, List<EventEnvelope> events) throws Exception;
    }

    /**
     * Records a failed retry of a parked aggregate. Waits for a transaction that has the aggregate locked.
     *
     * @param tried the events that failed. If the aggregate's first event or its number of attempts has changed since,
     *     nothing is recorded, because the failure refers to an earlier state
     * @return false if it is not parked, or has changed since the attempt, or the fence did not hold; nothing changed
     *     then
     */
    boolean postpone(Fence fence, String key, RetryGuard tried, ParkDecision parking);

    /** Stores an undecodable item with its bytes as a dead letter. Items of the same origin are stored once. */
    void deadLetter(String projection, FeedItem.Undecodable item);

    /**
     * Updates the projection's row from its segments, and adds the failures since the last report. The error of a
     * projection that is {@link ProjectionStatus#FAILED} is kept, whatever is reported later.
     *
     * @param errors the number of failures; 0 or more
     * @param lastError the description of the last failure
     */
    void report(String projection, long errors, Optional<String> lastError);

    /**
     * Stops a projection in all processes as {@link ProjectionStatus#FAILED}, unless it was stopped since that epoch,
     * so that an earlier fatal failure may have been fixed.
     *
     * @param epoch the epoch of the projection when the caller began
     * @return false if the fence did not hold, or the projection has another epoch; nothing changed then
     */
    boolean fail(Fence fence, long epoch, String error);

    /** Closes the resources that this opened. Leases remain until they expire. Closing again is harmless. */
    @Override
    void close();
}
