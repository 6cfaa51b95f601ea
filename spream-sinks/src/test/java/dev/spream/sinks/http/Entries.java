package dev.spream.sinks.http;

import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import java.time.Instant;
import java.util.Optional;

/** Entries to send. */
final class Entries {
    static final String PAYLOAD = "{\"buy\":\"7203 of s3cr3t-fund\"}";
    static final String TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private Entries() {}

    static OutboxEntry entry(String key) {
        return entry(key, 1);
    }

    static OutboxEntry entry(String key, int generation) {
        return entry(1, key, generation, Optional.empty(), Optional.empty());
    }

    static OutboxEntry traced(String key, String traceparent) {
        return entry(1, key, 1, Optional.empty(), Optional.of(traceparent));
    }

    static OutboxEntry ordered(long id, String orderingKey) {
        return entry(id, "order-" + id, 1, Optional.of(orderingKey), Optional.empty());
    }

    static OutboxEntry routed(String payloadType, String destination) {
        OutboxEntry entry = entry("routed");
        return new OutboxEntry(
                entry.id(),
                entry.idempotencyKey(),
                entry.generation(),
                entry.requestDigest(),
                entry.payload(),
                Optional.of(payloadType),
                destination,
                entry.orderingKey(),
                entry.traceparent(),
                entry.createdAt(),
                entry.expiresAt());
    }

    private static OutboxEntry entry(
            long id, String key, int generation, Optional<String> orderingKey, Optional<String> traceparent) {
        return new OutboxEntry(
                id,
                key,
                generation,
                OutboxMessage.digest(PAYLOAD),
                PAYLOAD,
                Optional.empty(),
                "",
                orderingKey,
                traceparent,
                Instant.EPOCH,
                Optional.empty());
    }
}
