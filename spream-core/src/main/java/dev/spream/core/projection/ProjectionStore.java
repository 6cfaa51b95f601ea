package dev.spream.core.projection;

import dev.spream.core.event.EventEnvelope;
import dev.spream.core.event.FeedItem;
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
 * <p>Safe for use by many threads. What fails is a {@link dev.spream.core.StorageException} unless a method says otherwise;
 * then it may have happened, and everything may be repeated.
 *
 * @param <T> a transaction of the database, such as a connection
 */
public interface ProjectionStore<T> extends AutoCloseable {
    /** What {@link #apply} and {@link #retry} hand to their work. */
    Class<T> transactionType();

    /**
     * The state of a projection, which is created as running if it is not there.
     *
     * @param segments into how many it is split, a power of 2 up to 256; 0 for a source without positions
     * @throws IllegalArgumentException if it is there with another number of segments
     */
    ProjectionState register(String projection, int segments);

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

    /** What is done for a batch. */
    @FunctionalInterface
    interface Work<T> {
        /**
         * Applies the batch.
         *
         * @param states of all aggregates of the batch, {@link KeyState#NEW} for new ones
         */
        Progress apply(T transaction, Map<String, KeyState> states) throws Exception;
    }

    /**
     * What a failure of a projection means that threw something else than {@link ProjectionFailure}, by what this database's
     * errors mean.
     */
    FailureKind failureKind(Exception failure);

    /**
     * What may be stored and logged of a failure that threw something else than a {@link dev.spream.core.SpreamException}: as
     * much as helps to find it, and nothing that may come from an event, such as most messages of a database. Its type and
     * where it was thrown, and the same of its causes, unless the store knows better. Asks nothing of the database.
     */
    default String describe(Exception failure) {
        return ErrorText.types(failure);
    }

    /**
     * Parked aggregates that are due to be tried again, those due longest first; also those that wait for a missing event which
     * has come. Of a segment, those that were parked by it.
     */
    List<ParkedKey> due(Fence fence, int limit);

    /**
     * Tries a parked aggregate again, in one transaction: gives the events that are set aside, in their order, to the work,
     * remembers the version that it returned, and forgets the events up to there. If none are left, it is not parked any more.
     *
     * @param limit how many events at most
     * @return empty if the fence did not hold, or the aggregate is not parked, or somebody else is at it; nothing changed then
     * @throws Exception what the work threw; nothing changed
     */
    Optional<KeyState> retry(Fence fence, String key, int limit, RetryWork<T> work) throws Exception;

    /** What is done for a parked aggregate. */
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
    boolean postpone(Fence fence, String key, Tried tried, Parking parking);

    /** Keeps what is no event with its bytes, for somebody to look at. The same again, by its origin, is kept once. */
    void deadLetter(String projection, FeedItem.Undecodable item);

    /**
     * Brings the state up to its segments, and adds what failed since the last report.
     *
     * @param errors how many failures; 0 or more
     * @param lastError what failed last
     */
    void report(String projection, long errors, Optional<String> lastError);

    /**
     * Stops a projection everywhere as {@link ProjectionStatus#FAILED}.
     *
     * @return false if the fence did not hold; nothing changed then
     */
    boolean fail(Fence fence, String error);

    /** Closes what this opened. Leases stay until they run out. Closing again is harmless. */
    @Override
    void close();
}
