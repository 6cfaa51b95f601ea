package dev.spream.outbox.worker;

import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;

/** Names claims in the log: the idempotency key by its hash, and nothing of the payload. */
final class EntryLabel {
    private static final int HASH_DIGITS = 12;

    private EntryLabel() {}

    /** As log lines about a claim begin. */
    static String of(OutboxOwner owner, OutboxClaim claim) {
        return "[%s] outbox_id=%d idempotency_key=%s attempts=%d"
                .formatted(owner.name(), claim.entry().id(), hash(claim.entry().idempotencyKey()), claim.attempt());
    }

    /** The first 12 hexadecimal digits of the SHA-256 of a key. */
    static String hash(String key) {
        String digest = OutboxMessage.digest(key);
        int start = digest.indexOf(':') + 1;
        return digest.substring(start, start + HASH_DIGITS);
    }
}
