package dev.spream.examples.vocabulary;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * The ids that a request creates, derived from its user and its idempotency key: a repeated request creates nothing
 * new.
 *
 * @param correlationId of what the request leads to, which is no part of those
 */
record RequestIds(String userId, String idempotencyKey, String correlationId) {
    /** Of a request that nothing else is correlated with. */
    RequestIds(String userId, String idempotencyKey) {
        this(userId, idempotencyKey, UUID.randomUUID().toString());
    }

    String entry() {
        return of("entry");
    }

    /** Of the event of that entry. */
    String event(String entryId) {
        return of("event\n" + entryId);
    }

    String item(int number) {
        return of("item\n" + number);
    }

    String example() {
        return of("example");
    }

    private String of(String what) {
        String name = "%d\n%s\n%s\n%s".formatted(userId.length(), userId, idempotencyKey, what);
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
    }
}
