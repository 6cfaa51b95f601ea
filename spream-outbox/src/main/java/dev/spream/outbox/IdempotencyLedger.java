package dev.spream.outbox;

import dev.spream.core.StorageException;
import java.time.Duration;
import java.util.Optional;

/**
 * A ledger of requests by idempotency key with the final result of each, so that a repeated request is answered from the ledger
 * and not executed again. A settled entry never changes: beginning a failed request again opens a new generation of it.
 *
 * <p>Safe for use by many threads; a transaction is used by one at a time. Failures are {@link StorageException}s.
 *
 * @param <T> a transaction of the database, such as a connection
 */
public interface IdempotencyLedger<T> {
    Class<T> transactionType();

    /**
     * Begins a request, unless its key is taken. Waits while another open transaction has begun the same key; if that
     * transaction is rolled back, the key is free. The effect is rolled back with the transaction.
     */
    LedgerClaim claim(T transaction, String idempotencyKey, String requestDigest);

    /**
     * Stores the final result of a request that is in progress.
     *
     * @return false if that generation of the request is not in progress, or has another digest; nothing was changed
     *     then
     */
    boolean settle(T transaction, String idempotencyKey, int generation, String requestDigest, LedgerResult result);

    /**
     * Reopens a failed request in its next generation.
     *
     * @return the new generation; empty if its last generation has not failed
     */
    Optional<Integer> reopen(T transaction, String idempotencyKey);

    /** Returns the last committed generation of a request. */
    Optional<LedgerEntry> find(String idempotencyKey);

    /**
     * Removes requests that were settled at least that long ago, in all their generations; such a request is processed
     * again if a client repeats it. Requests whose entries are still in the outbox are kept.
     *
     * @param limit the maximum number to remove
     * @return the number of removed requests; less than the limit if there are no more
     */
    int prune(Duration settledFor, int limit);
}
