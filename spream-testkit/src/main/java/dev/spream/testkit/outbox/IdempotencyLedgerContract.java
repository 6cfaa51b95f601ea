package dev.spream.testkit.outbox;

import dev.spream.outbox.IdempotencyLedger;

/**
 * The contract of {@link IdempotencyLedger} as tests, to be extended in the tests of a store.
 *
 * @param <T> a transaction of the store
 */
public abstract class IdempotencyLedgerContract<T> extends OutboxSuite<T>
        implements LedgerClaimContract<T>, LedgerSettleContract<T>, LedgerReopenContract<T>, LedgerPruneContract<T> {}
