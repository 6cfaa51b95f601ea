package dev.spream.outbox.worker;

import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;

/** The label of a claim in log lines. It contains a hash of the idempotency key and no part of the payload. */
final class EntryLabel {
    private static final int HASH_DIGITS = 12;

    private EntryLabel() {}

    /** Returns the prefix of log lines about a claim. */
    static String of(OutboxOwner owner, OutboxClaim claim) {
        return "[%s] outbox_id=%d idempotency_key=%s attempts=%d"
                .formatted(owner.name(), claim.entry().id(), hash(claim.entry().idempotencyKey()), claim.attempt());
    }

    /** Returns the first 12 hexadecimal digits of the SHA-256 of a key. */
    static String hash(String key) {
        String digest = OutboxMessage.digest(key);
        int start = digest.indexOf(':') + 1;
        return digest.substring(start, start + HASH_DIGITS);
    }
}
