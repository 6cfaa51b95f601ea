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
     * Begins a request, unless its key is taken. While another transaction that has begun it is open, this waits for its end;
     * if that is rolled back, the key is free. What this did is undone with the transaction.
     */
    LedgerClaim claim(T transaction, String idempotencyKey, String requestDigest);

    /**
     * Answers a request that is in progress.
     *
     * @return false if the ledger has no such generation of the request in progress, or with another digest; nothing was
     *     changed then
     */
    boolean settle(T transaction, String idempotencyKey, int generation, String requestDigest, LedgerResult result);

    /**
     * Begins a request again that has failed, in the next generation.
     *
     * @return the new generation; empty if its last generation has not failed
     */
    Optional<Integer> reopen(T transaction, String idempotencyKey);

    /** The last generation of a request, as far as it is committed. */
    Optional<LedgerEntry> find(String idempotencyKey);

    /**
     * Forgets requests that were settled that long ago, in all their generations; a client that repeats one afterwards has it
     * done again. Those that the outbox still has are kept.
     *
     * @param limit how many at most
     * @return how many were forgotten; less than the limit if there are no more
     */
    int prune(Duration settledFor, int limit);
}
