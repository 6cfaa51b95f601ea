package dev.spream.projection;

import java.util.Set;

/**
 * A projection whose read model can be rebuilt beside the live one, as another {@link ProjectionVersion}.
 *
 * <p>It names its tables without a schema. The store has each version's statements find that version's tables: in a database with
 * schemas, tables of versions that are not live are in schemas of their own. A cut-over exchanges them.
 *
 * <p>Read models outside the database of the transaction, such as search indexes, have no tables, and are kept apart by {@link
 * Projection#ofVersion}; their readers ask the store which version is live. See {@link ExternalReadModel}.
 *
 * @param <T> a transaction of the read model's database
 */
public interface RebuildableProjection<T> extends Projection<T> {

    /**
     * All tables that it writes, without a schema: 1 to 63 lower-case letters, digits and underscores. What versions share is none
     * of them, and is written by {@link SideEffectingProjection}; a version that is not live and writes it fails.
     */
    Set<String> tables();

    /**
     * Creates the tables of a version, empty, with indexes, row security, triggers and all. They do not exist yet. Called once
     * for each version but the first, whose tables exist before a projection is first run. It makes nothing else, such as
     * functions, which a cut-over would not move, and drops nothing: what it would drop is live.
     */
    void create(T transaction) throws Exception;
}
