package dev.spream.testkit.outbox;

import dev.spream.outbox.Outbox;

/**
 * The contract of {@link Outbox} as tests, to be extended in the tests of a store.
 *
 * @param <T> a transaction of the store
 */
public abstract class OutboxContract<T> extends OutboxSuite<T>
        implements EnqueueContract<T>,
                EnqueueAllContract<T>,
                EnqueueClaimContract<T>,
                EnqueueRaceContract<T>,
                PayloadContract<T> {}
