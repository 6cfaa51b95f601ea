package dev.spream.testkit.projection;

import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The fixture by which the contracts of projection stores know a store. It stands for one fresh database without
 * projections; it is made for one test and closed after it. Up to ten threads use it at a time.
 *
 * @param <T> a transaction of the store
 */
public interface ProjectionStoreFixture<T> extends AutoCloseable {

    /** The store; the same instance each time. */
    ProjectionStore<T> store();

    /** A second one over the same database, as another process would have it; the same instance each time. */
    ProjectionStore<T> anotherStore();

    /** Operations over the same database; the same instance each time. */
    ProjectionOperations operations();

    /** Has a row of a read model be that, in the transaction. */
    void write(T transaction, String row, long value) throws Exception;

    /** That row as the transaction sees it; 0 if there is none. */
    long read(T transaction, String row) throws Exception;

    /** The tables of the read model: where {@link #write} writes, in the version whose transaction it is. */
    Set<String> tables();

    /** Creates them for another version, where its transaction finds them. */
    void create(T transaction) throws Exception;

    /** All rows of the live read model as they are committed; by a statement of the fixture's own. */
    Map<String, Long> rows();

    /**
     * Lets that much time pass, for everything that the store has: by moving its clock, or by moving all stored times back,
     * those of leases, owners and parked aggregates included.
     */
    void passTime(Duration time);

    /** The audit of a projection: the operators and the reasons of its changes, the oldest first. */
    List<Act> audit(String projection);

    /**
     * The dead letters of a projection, the oldest first: the ids of skipped events, and the origins of input that
     * could not be read as events.
     */
    List<String> deadLetters(String projection);

    /** Closes everything and removes what it left. */
    @Override
    void close();
}
