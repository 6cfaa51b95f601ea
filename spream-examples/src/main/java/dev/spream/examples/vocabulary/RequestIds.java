package dev.spream.examples.vocabulary;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * The ids that a request creates, derived from its user and its idempotency key: a repeated request creates nothing
 * new.
 *
 * @param correlationId the id of all effects of the request; not used for deriving others
 */
record RequestIds(String userId, String idempotencyKey, String correlationId) {
    /** Creates the ids of a request without a correlation id of its own. */
    RequestIds(String userId, String idempotencyKey) {
        this(userId, idempotencyKey, UUID.randomUUID().toString());
    }

    String entry() {
        return of("entry");
    }

    /** Returns the id of the event of that entry. */
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
