package dev.spream.testkit.projection;

import dev.spream.projection.ProjectionRebuilds;

/**
 * The contract of {@link ProjectionRebuilds}, and of versions in stores, as tests. Extend it in the tests of a store.
 *
 * @param <T> a transaction of the store
 */
public abstract class ProjectionRebuildsContract<T> extends ProjectionSuite<T>
        implements VersionContract<T>, CutoverContract<T> {}
