package dev.spream.testkit.projection;

import dev.spream.projection.ProjectionOperations;

/**
 * The contract of {@link ProjectionOperations} as tests. Extend it in the tests of a store.
 *
 * @param <T> a transaction of the store
 */
public abstract class ProjectionOperationsContract<T> extends ProjectionSuite<T>
        implements StatusContract<T>, ParkedOperationsContract<T>, SplitContract<T> {}
