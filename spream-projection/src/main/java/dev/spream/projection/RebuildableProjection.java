package dev.spream.projection;

import java.util.Set;

/**
 * A projection whose read model can be rebuilt beside the live one, as another {@link ProjectionVersion}.
 *
 * <p>It names its tables without a schema. The store has each version's statements find that version's tables: in a
 * database with schemas, tables of versions that are not live are in schemas of their own. A cutover exchanges them.
 *
 * <p>Read models outside the database of the transaction, such as search indexes, have no tables, and are kept apart by {@link
 * Projection#ofVersion}; their readers ask the store which version is live. See {@link ExternalReadModel}.
 *
 * @param <T> a transaction of the read model's database
 */
public interface RebuildableProjection<T> extends Projection<T> {

    /**
     * Returns all tables that it writes, without a schema: 1 to 63 lower-case letters, digits and underscores. Tables
     * that versions share do not belong here, and are written by {@link SideEffectingProjection}; a version that is not
     * live and writes to one fails.
     */
    Set<String> tables();

    /**
     * Creates the tables of a version, empty, with all indexes, row security, triggers and the like. They do not exist
     * yet. Called once for each version but the first, whose tables must exist before the projection is first run. It
     * must create nothing else, such as functions, which a cutover would not move, and drop nothing: what it would drop
     * is live.
     */
    void create(T transaction) throws Exception;
}
