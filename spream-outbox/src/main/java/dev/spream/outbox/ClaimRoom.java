package dev.spream.outbox;

import java.time.Duration;
import java.util.List;

/**
 * Room of a worker for entries that are claimed as they are enqueued, from {@link OutboxStore.Watcher#reserve}, until it
 * is returned by {@link #close}. Meanwhile the worker may claim other entries; the enqueued ones then wait for their
 * turn. Used by one thread at a time.
 */
public interface ClaimRoom extends AutoCloseable {

    /** Returns the owner of the claims. */
    OutboxOwner owner();

    /** Returns the duration of the claims; it begins with the call that reserved the room. */
    Duration lease();

    /** Returns the number of entries that may be claimed, 1 or more. */
    int size();

    /** Holds the room for these claims, at most {@link #size}, and returns the rest of it. Called once. */
    void hold(List<OutboxClaim> claims);

    /**
     * Sends the claimed entries, whose transaction has committed.
     *
     * @return false if the worker has stopped, or too little of the lease remains; the caller then releases the claims
     */
    boolean start();

    /** Returns the room, unless its entries were started. Closing again has no effect. */
    @Override
    void close();
}
