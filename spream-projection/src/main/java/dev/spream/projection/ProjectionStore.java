package dev.spream.projection;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedItem;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Holds the states of projections in the database of their read models, as whoever runs them needs it. Time is the store's
 * own: nobody's clock is compared with it.
 *
 * <p>Effects are written by {@link #apply} and {@link #retry} alone, each one transaction: effects, what is remembered of each
 * aggregate, and the position are there together or not at all. Both check their {@link Fence} in it: no effect of somebody
 * whose lease went to another, and none after {@link ProjectionOperations#pause} has returned.
 *
 * <p>A projection has {@linkplain ProjectionVersion versions}, each with a state of its own: where a method wants a
 * projection, it is the {@linkplain ProjectionVersion#stateName() name of a version's state}. What a version that is not
 * live writes is found where its tables are; it writes while it is {@link ProjectionStatus#REBUILDING}, as the live one
 * does while it is {@code RUNNING}.
 *
 * <p>Safe for use by many threads. What fails is a {@link dev.spream.core.StorageException} unless a method says otherwise;
 * then it may have happened, and everything may be repeated.
 *
 * @param <T> a transaction of the database, such as a connection
 */
public interface ProjectionStore<T> extends AutoCloseable {
    /** What {@link #apply} and {@link #retry} hand to their work. */
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
     * Has the read model of a version created, in one transaction in which its tables are found where they are to be, and remembers
     * its code. Does nothing if it was created before; waits for somebody else who is at it.
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
     * The id of a version's {@linkplain ExternalReadModel read model outside of the database}. If none is known it is begun
     * and its id remembered, in one transaction; somebody else who is at it is waited for.
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
     * Measures how fast a version that is not live is built, which whoever runs it does about once a second.
     *
     * @return how far it is; empty if there is no such version any more, or it is live
     */
    Optional<RebuildProgress> built(ProjectionVersion version);

    /** The state of a projection; empty if there is no such projection. */
    Optional<ProjectionState> state(String projection);

    /**
     * Makes the segments that an owner holds last for another lease, takes segments that nobody holds, up to its share, and
     * gives segments up. Every owner calls this well within each lease, whether it holds any or not.
     *
     * @param giveUp segments that somebody else may take at once
     */
    SegmentShare holdSegments(String projection, ProjectionOwner owner, Set<Integer> giveUp, Duration lease);

    /** Gives all segments up. The owner is gone. */
    void leave(String projection, ProjectionOwner owner);

    /**
     * Applies a batch in one transaction: checks the fence, looks up what is remembered of the aggregates, does the work, and
     * writes down the progress that it returned. Until the end nobody else can change what is remembered of them.
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
     * What a failure of a projection means that threw something else than {@link ProjectionException}, by what this database's
     * errors mean.
     */
    FailureKind failureKind(Exception failure);

    /**
     * What may be stored and logged of a failure that threw something else than a {@link dev.spream.core.SpreamException}: as
     * much as helps to find it, and nothing that may come from an event, such as most messages of a database. Its type and
     * where it was thrown, and the same of its causes, unless the store knows better. Asks nothing of the database.
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

    /** What is parked now; {@link ParkedSummary#NONE} if there is no such projection. */
    ParkedSummary parkedSummary(String projection);

    /**
     * Tries a parked aggregate again, in one transaction: gives the events that are set aside, in their order, to the work,
     * remembers the version that it returned, and forgets the events up to there. If none are left, it is not parked any more.
     *
     * @param limit how many events at most
     * @return empty if the fence did not hold, or the aggregate is not parked, or somebody else is at it; nothing changed then
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
     * Says that trying a parked aggregate again has failed. Waits for whoever is at the aggregate.
     *
     * @param tried what has failed. If its first event is another by now, or has other attempts behind it, somebody was there
     *     meanwhile, and what failed says nothing of what is to be tried next
     * @return false if it is not parked, or not as it was tried, or the fence did not hold; nothing changed then
     */
    boolean postpone(Fence fence, String key, RetryGuard tried, ParkDecision parking);

    /** Keeps what is no event with its bytes, for somebody to look at. The same again, by its origin, is kept once. */
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
     * Stops a projection everywhere as {@link ProjectionStatus#FAILED}, unless somebody has stopped it since that epoch: what
     * was found fatal before may be mended.
     *
     * @param epoch of the projection when whoever says so began
     * @return false if the fence did not hold, or the projection has another epoch; nothing changed then
     */
    boolean fail(Fence fence, long epoch, String error);

    /** Closes what this opened. Leases stay until they run out. Closing again is harmless. */
    @Override
    void close();
}
