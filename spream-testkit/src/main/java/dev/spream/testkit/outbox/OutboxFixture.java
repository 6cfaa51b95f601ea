package dev.spream.testkit.outbox;

import dev.spream.core.StorageException;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.OutboxStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The fixture with which the contracts of an outbox test a store: an empty outbox with its ledger, created for one test
 * and closed after it. Must be safe for use by many threads; up to ten of them use it at a time, each with at most one
 * transaction.
 *
 * @param <T> a transaction of the store
 */
public interface OutboxFixture<T> extends AutoCloseable {

    /** Returns the store; the same instance each time. */
    OutboxStore store();

    /** Returns a second store over the same entries, as used by another process; the same instance each time. */
    OutboxStore anotherStore();

    Outbox<T> outbox();

    IdempotencyLedger<T> ledger();

    /** Begins a transaction, which is ended by {@link #commit} or {@link #rollback}. */
    T begin();

    /**
     * Commits a transaction and releases its connection. If the database has aborted the transaction because of others,
     * this or a call before it throws a {@link StorageException} that is retryable.
     */
    void commit(T transaction);

    /** Rolls a transaction back and releases its connection. */
    void rollback(T transaction);

    /** Returns the time of the store's clock. */
    Instant now();

    /**
     * Simulates that much time passing for the whole store: by advancing its clock, or by moving all stored times back,
     * including those of segments, workers and the ledger. {@link #now} need not change.
     */
    void passTime(Duration time);

    /** Returns the committed status of an entry, read by a statement of the fixture's own. */
    OutboxStatus status(String idempotencyKey);

    /**
     * Returns the committed generations of a request in the ledger, first generation first, read by a statement of the
     * fixture's own.
     */
    List<LedgerEntry> generations(String idempotencyKey);

    /**
     * Changes the digest of the last generation of a request in the ledger, as a program that bypasses the ports could.
     */
    void changeLedgerDigest(String idempotencyKey, String requestDigest);

    /** Closes all resources and removes the outbox. */
    @Override
    void close();
}
