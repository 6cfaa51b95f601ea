package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedItem;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The store of projections' states in the database of their read models, as their processes use it. All times are the store's
 * own; they are never compared with another clock.
 *
 * <p>Effects are written by {@link #apply} and {@link #retry} alone, each one transaction: effects, the states of aggregates, and
 * the checkpoint are committed together or not at all. Both check their {@link Fence} in it: no effect by an owner that has lost
 * its lease, and none after {@link ProjectionOperations#pause} has returned.
 *
 * <p>A projection has {@linkplain ProjectionVersion versions}, each with a state of its own: where a method wants a projection,
 * it is the {@linkplain ProjectionVersion#stateName() name of a version's state}. What a version that is not live writes is found
 * where its tables are; it writes while it is {@link ProjectionStatus#REBUILDING}, as the live one does while it is {@code
 * RUNNING}.
 *
 * <p>Safe for use by many threads. What fails is a {@link dev.spream.core.StorageException} unless a method says otherwise; then
 * it may have happened, and everything may be repeated.
 *
 * @param <T> a transaction of the database, such as a connection
 */
public interface ProjectionStore<T> extends AutoCloseable {
    /** Returns the type of transaction that {@link #apply} and {@link #retry} hand to their work. */
    Class<T> transactionType();

    /**
     * The state of the live version of a projection, by the name of the projection. If there is no such projection, its first
     * version is created as live and running, of that code. If the live version is of that revision, what is known of its code is
     * brought up to date.
     *
     * @param segments into how many it is split if it is created, a power of 2 up to 256; 0 for a source without positions.
     *     One that is there keeps its number until {@link ProjectionOperations#split}
     * @throws IllegalArgumentException if it is there with segments and is to have none, or the other way round
     */
    ProjectionState register(String projection, int segments, ProjectionCode code);

    /**
     * The same for {@linkplain ProjectionCode#PLAIN code of the first revision} that has no tables to exchange and no side
     * effects.
     */
    default ProjectionState register(String projection, int segments) {
        return register(projection, segments, ProjectionCode.PLAIN);
    }

    /** All versions of a projection, by the name of the projection, the first version first; empty if it is not registered. */
    List<ProjectionVersion> versions(String projection);

    /**
     * Has the read model of a version created, in one transaction in which its tables are found where they are to be, and
     * remembers its code. Does nothing if it was created before; waits for a concurrent creation.
     *
     * @return false if there is no such version any more; nothing was done then
     * @throws Exception what the work threw; nothing changed
     */
    boolean prepare(ProjectionVersion version, ProjectionCode code, Preparation<T> create) throws Exception;

    /** Creates the tables of a read model. */
    @FunctionalInterface
    interface Preparation<T> {
        void create(T transaction) throws Exception;
    }

    /**
     * The id of a version's {@linkplain ExternalReadModel read model outside of the database}. If none is known it is begun and
     * its id remembered, in one transaction; a concurrent call is waited for.
     *
     * @return empty if there is no such version any more; nothing was done then
     * @throws ProjectionException that is fatal if none is known though events were dealt with; nothing changed
     * @throws Exception what the beginning threw; nothing changed
     */
    Optional<String> outsideModel(ProjectionVersion version, Beginning beginning) throws Exception;

    /** Begins a read model outside of the database. */
    @FunctionalInterface
    interface Beginning {
        /** Returns its id. */
        String begin() throws Exception;
    }

    /**
     * Up to which position a version that is not live may be brought: where the live one is in that segment. It never gets ahead:
     * {@link #apply} refuses a position behind that with a retryable {@link dev.spream.core.StorageException}, and nothing changed.
     * Positions never go back, so what was answered once is allowed until roles are exchanged, or the number of segments changes.
     * 0 of a segment that is not there any more.
     */
    long limit(ProjectionVersion version, int segment);

    /**
     * The events that were skipped in a projection, or are to be in a version that has that decision from the one before: the
     * versions of each aggregate.
     */
    Map<String, Set<Long>> skipped(String projection);

    /**
     * Measures how fast a version that is not live is built; its processes call this about once a second.
     *
     * @return how far it is; empty if there is no such version any more, or it is live
     */
    Optional<RebuildProgress> built(ProjectionVersion version);

    /** The state of a projection; empty if there is no such projection. */
    Optional<ProjectionState> state(String projection);

    /**
     * Renews the leases of the owner's segments, claims free segments up to its share, and releases segments. Every owner calls
     * this well within each lease, whether it holds any or not.
     *
     * @param giveUp segments to release, which others may claim at once
     */
    SegmentShare holdSegments(String projection, ProjectionOwner owner, Set<Integer> giveUp, Duration lease);

    /** Gives all segments up. The owner is gone. */
    void leave(String projection, ProjectionOwner owner);

    /**
     * Applies a batch in one transaction: checks the fence, reads the states of the aggregates, does the work, and writes the
     * checkpoint that it returned. No other transaction can change these states until it ends.
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
         * @param states of all aggregates of the batch, {@link AggregateState#NEW} for new ones
         */
        BatchCheckpoint apply(T transaction, Map<String, AggregateState> states) throws Exception;
    }

    /**
     * Classifies a failure of a projection other than a {@link ProjectionException}, by the meaning of this
     * database's errors.
     */
    FailureKind failureKind(Exception failure);

    /**
     * Returns the text that may be stored and logged of a failure other than a {@link dev.spream.core.SpreamException}: as
     * much as helps to find it, and nothing that may come from an event, such as most messages of a database. By default its
     * type and place, and those of its causes. Does not call the database.
     */
    default String describe(Exception failure) {
        return ProjectionException.types(failure);
    }

    /**
     * Parked aggregates that are due to be tried again, those due longest first; also those that wait for a missing event which
     * has come. Of a segment, those that were parked by it.
     */
    List<ParkedAggregate> due(Fence fence, int limit);

    /** Segments for which {@link #due} would return something; none of a projection without segments. */
    Set<Integer> dueSegments(String projection);

    /** Returns a summary of the parked aggregates; {@link ParkedSummary#NONE} if there is no such projection. */
    ParkedSummary parkedSummary(String projection);

    /**
     * Tries a parked aggregate again, in one transaction: passes its kept events to the work, in order, stores the version that
     * it returned, and deletes the events up to that version. If none are left, the aggregate is no longer parked.
     *
     * @param limit how many events at most
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
     * @param tried the events that failed. If the aggregate's first event or its number of attempts has changed since, nothing is
     *     recorded, since the failure is of an earlier state
     * @return false if it is not parked, or not as it was tried, or the fence did not hold; nothing changed then
     */
    boolean postpone(Fence fence, String key, RetryGuard tried, ParkDecision parking);

    /** Keeps an undecodable item with its bytes as a dead letter. Items of the same origin are kept once. */
    void deadLetter(String projection, FeedItem.Undecodable item);

    /**
     * Brings the state up to its segments, and adds what failed since the last report. Why a projection is {@link
     * ProjectionStatus#FAILED} stays, whatever is reported later.
     *
     * @param errors how many failures; 0 or more
     * @param lastError what failed last
     */
    void report(String projection, long errors, Optional<String> lastError);

    /**
     * Stops a projection everywhere as {@link ProjectionStatus#FAILED}, unless it was stopped since that epoch: an earlier fatal
     * failure may be fixed.
     *
     * @param epoch of the projection when the caller began
     * @return false if the fence did not hold, or the projection has another epoch; nothing changed then
     */
    boolean fail(Fence fence, long epoch, String error);

    /** Closes what this opened. Leases stay until they run out. Closing again is harmless. */
    @Override
    void close();
}
