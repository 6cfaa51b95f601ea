package dev.spream.testkit.projection;

import dev.spream.projection.ProjectionStore;

/**
 * The contract of {@link ProjectionStore} as tests. Extend it in the tests of a store.
 *
 * @param <T> a transaction of the store
 */
public abstract class ProjectionStoreContract<T> extends ProjectionSuite<T>
        implements RegisterContract<T>,
                SegmentContract<T>,
                ApplyContract<T>,
                ApplyRaceContract<T>,
                ProgressContract<T>,
                ParkContract<T>,
                RetryContract<T>,
                DeadLetterContract<T> {}
