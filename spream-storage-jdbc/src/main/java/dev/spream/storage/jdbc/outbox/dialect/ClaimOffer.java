package dev.spream.storage.jdbc.outbox.dialect;

import java.time.Duration;
import java.util.Set;

/**
 * The offer of a worker of this process to claim entries as they are enqueued.
 *
 * @param keys the idempotency keys of those that it may claim
 * @param owner the worker
 * @param lease the duration of the claims
 * @param server identifies the only server on which they may be claimed, as {@link OutboxSql#server} does
 */
public record ClaimOffer(Set<String> keys, String owner, Duration lease, String server) {
    public ClaimOffer {
        keys = Set.copyOf(keys);
    }
}
