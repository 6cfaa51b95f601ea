package dev.spream.testkit.outbox;

import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.OutboxStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The fixture by which the contracts of an outbox know a store. It stands for one fresh, empty outbox with its ledger; it
 * is made for one test and closed after it. Safe for use by many threads; up to ten of them use it at a time, each with a
 * transaction at most.
 *
 * @param <T> a transaction of the store
 */
public interface OutboxFixture<T> extends AutoCloseable {

    /** The store; the same instance each time. */
    OutboxStore store();

    /** A second one over the same entries, as another process would have it; the same instance each time. */
    OutboxStore anotherStore();

    Outbox<T> outbox();

    IdempotencyLedger<T> ledger();

    /** A transaction, to be ended by {@link #commit} or {@link #rollback}. */
    T begin();

    /** Commits a transaction, and gives its connection back. */
    void commit(T transaction);

    /** Rolls a transaction back, and gives its connection back. */
    void rollback(T transaction);

    /** The time of the store's clock. */
    Instant now();

    /**
     * Lets that much time pass, for everything that the store has: by moving its clock, or by moving all stored times back,
     * those of segments, workers and the ledger included. {@link #now} need not move.
     */
    void passTime(Duration time);

    /** The status of an entry, as it is committed; by a statement of the fixture's own. */
    OutboxStatus status(String idempotencyKey);

    /** What the ledger has of a request, as it is committed, the first generation first; by a statement of the fixture's own. */
    List<LedgerEntry> generations(String idempotencyKey);

    /**
     * Gives the last generation of a request another digest in the ledger, as a program that bypasses the ports could.
     */
    void changeLedgerDigest(String idempotencyKey, String requestDigest);

    /** Closes everything and removes what it left. */
    @Override
    void close();
}
