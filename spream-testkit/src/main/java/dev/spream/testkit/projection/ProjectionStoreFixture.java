package dev.spream.testkit.projection;

import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A projection store under test: one fresh database without projections, created for one test and closed after it. Up
 * to ten threads use it at a time.
 *
 * @param <T> a transaction of the store
 */
public interface ProjectionStoreFixture<T> extends AutoCloseable {

    /** Returns the store; the same instance each time. */
    ProjectionStore<T> store();

    /** Returns a second store over the same database, as in another process; the same instance each time. */
    ProjectionStore<T> anotherStore();

    /** Returns operations over the same database; the same instance each time. */
    ProjectionOperations operations();

    /** Writes a row of a read model, in the transaction. */
    void write(T transaction, String row, long value) throws Exception;

    /** Returns that row as seen by the transaction; 0 if it does not exist. */
    long read(T transaction, String row) throws Exception;

    /** Returns the tables of the read model that {@link #write} writes, in the version of the transaction. */
    Set<String> tables();

    /** Creates the tables for another version, in its transaction. */
    void create(T transaction) throws Exception;

    /** Returns all committed rows of the live read model, by a statement of the fixture's own. */
    Map<String, Long> rows();

    /**
     * Lets the given time pass for the whole store: by moving its clock, or by moving all stored times back, including
     * those of leases, owners and parked aggregates.
     */
    void passTime(Duration time);

    /** Returns the audit of a projection: the operators and the reasons of its changes, the oldest first. */
    List<Act> audit(String projection);

    /**
     * Returns the dead letters of a projection, the oldest first: the ids of skipped events, and the origins of
     * undecodable input.
     */
    List<String> deadLetters(String projection);

    /** Closes everything and deletes all stored data. */
    @Override
    void close();
}
