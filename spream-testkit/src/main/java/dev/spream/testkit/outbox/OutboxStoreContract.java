package dev.spream.testkit.outbox;

import dev.spream.outbox.OutboxStore;

/**
 * The contract of {@link OutboxStore} as tests, to be extended in the tests of a store.
 *
 * @param <T> a transaction of the store
 */
public abstract class OutboxStoreContract<T> extends OutboxSuite<T>
        implements ClaimContract<T>,
                ClaimLeaseContract<T>,
                SettlementContract<T>,
                StaleSettlementContract<T>,
                LedgerSyncContract<T>,
                DestinationContract<T>,
                ExpiryContract<T>,
                OutboxSegmentContract<T>,
                OrderedReadContract<T>,
                OrderedClaimContract<T>,
                WatchContract<T> {}
