package dev.spream.outbox;

import java.time.Instant;

/**
 * An entry that a worker may send, until its lease runs out.
 *
 * @param token one more with each claim of the entry, for ever; what the worker writes names it
 * @param attempt which attempt this is, from 1: of those since the entry was enqueued, or requeued by hand. Claims of workers
 *     that died count
 * @param outcomeUnknown whether an earlier attempt may have reached the receiver
 * @param claimedAt the store's time of the claim
 */
public record OutboxClaim(OutboxEntry entry, long token, int attempt, boolean outcomeUnknown, Instant claimedAt) {

    public Ref ref() {
        return new Ref(entry.id(), token);
    }

    /**
     * Names one claim of one entry.
     *
     * @param id of the entry
     */
    public record Ref(long id, long token) {}
}
