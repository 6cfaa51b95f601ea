package dev.spream.outbox;

import java.time.Instant;

/**
 * The claim of an entry, which lets one worker send it until the lease expires.
 *
 * @param token the fencing token of the claim: incremented with each claim of the entry, never reset, and checked by
 *     every write of the worker
 * @param attempt the number of this attempt, from 1, since the entry was enqueued or requeued by an operator. Claims of
 *     crashed workers count
 * @param outcomeUnknown whether an earlier attempt may have reached the receiver
 * @param claimedAt the store's time of the claim
 */
public record OutboxClaim(OutboxEntry entry, long token, int attempt, boolean outcomeUnknown, Instant claimedAt) {

    public Ref ref() {
        return new Ref(entry.id(), token);
    }

    /**
     * A reference to one claim of one entry.
     *
     * @param id the id of the entry
     */
    public record Ref(long id, long token) {}
}
