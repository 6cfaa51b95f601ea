package dev.spream.outbox;

import static java.util.Objects.requireNonNull;

import dev.spream.core.Sha256;
import java.time.Instant;
import java.util.Optional;

/**
 * A message to enqueue in an outbox: its payload, and the keys and times that govern its sending.
 *
 * @param idempotencyKey the permanent name of the request: enqueueing it again means the same request. 1 to {@value
 *     #MAX_KEY} characters
 * @param payload the content to send, a JSON text
 * @param requestDigest distinguishes different requests with the same key; the digest of the payload by default. 1 to
 *     {@value #MAX_DIGEST} characters
 * @param orderingKey entries with the same ordering key are sent one at a time, in the order in which they were
 *     enqueued; entries without one as soon as there is capacity. 1 to {@value #MAX_KEY} characters
 * @param notBefore the earliest time to send it; immediately by default
 * @param expiresAt the time from which it must no longer be sent; never by default
 * @param traceparent the W3C trace context of the request, the parent of the spans of its delivery
 */
public record OutboxMessage(
        String idempotencyKey,
        String payload,
        String requestDigest,
        Optional<String> orderingKey,
        Optional<Instant> notBefore,
        Optional<Instant> expiresAt,
        Optional<String> traceparent) {
    public static final int MAX_KEY = 512;
    public static final int MAX_DIGEST = 200;
    private static final int MAX_TRACEPARENT = 200;

    public OutboxMessage {
        requireText("idempotencyKey", idempotencyKey, MAX_KEY);
        requireNonNull(payload, "payload");
        requireText("requestDigest", requestDigest, MAX_DIGEST);
        orderingKey.ifPresent(key -> requireText("orderingKey", key, MAX_KEY));
        requireNonNull(notBefore, "notBefore");
        requireNonNull(expiresAt, "expiresAt");
        traceparent.ifPresent(parent -> requireText("traceparent", parent, MAX_TRACEPARENT));
    }

    /** Returns a message that may be sent immediately and never expires, with the digest of its payload. */
    public static OutboxMessage of(String idempotencyKey, String payload) {
        return builder(idempotencyKey, payload).build();
    }

    public static Builder builder(String idempotencyKey, String payload) {
        return new Builder(requireNonNull(idempotencyKey, "idempotencyKey"), requireNonNull(payload, "payload"));
    }

    /** Returns the SHA-256 of the text in UTF-8, in hexadecimal with the prefix {@code sha256:}. */
    public static String digest(String text) {
        return "sha256:" + Sha256.hex(text);
    }

    private static void requireText(String field, String value, int max) {
        requireNonNull(value, field);
        if (value.isBlank() || value.length() > max || value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "%s has %d characters; it must have 1 to %d, not all blank, without U+0000"
                            .formatted(field, value.length(), max));
        }
    }

    /** Omits the payload. */
    @Override
    public String toString() {
        return "OutboxMessage[idempotencyKey=%s, orderingKey=%s]".formatted(idempotencyKey, orderingKey.orElse("-"));
    }

    /** A builder of messages. Confined to one thread. */
    public static final class Builder {
        private final String idempotencyKey;
        private final String payload;
        private Optional<String> requestDigest = Optional.empty();
        private Optional<String> orderingKey = Optional.empty();
        private Optional<Instant> notBefore = Optional.empty();
        private Optional<Instant> expiresAt = Optional.empty();
        private Optional<String> traceparent = Optional.empty();

        private Builder(String idempotencyKey, String payload) {
            this.idempotencyKey = idempotencyKey;
            this.payload = payload;
        }

        /**
         * Sets the digest that distinguishes requests with the same key; needed if payloads of equal requests can
         * differ.
         */
        public Builder requestDigest(String requestDigest) {
            this.requestDigest = Optional.of(requestDigest);
            return this;
        }

        public Builder orderingKey(String orderingKey) {
            this.orderingKey = Optional.of(orderingKey);
            return this;
        }

        public Builder notBefore(Instant notBefore) {
            this.notBefore = Optional.of(notBefore);
            return this;
        }

        public Builder expiresAt(Instant expiresAt) {
            this.expiresAt = Optional.of(expiresAt);
            return this;
        }

        public Builder traceparent(String traceparent) {
            this.traceparent = Optional.of(traceparent);
            return this;
        }

        /**
         * Returns the message.
         *
         * @throws IllegalArgumentException if a value is out of its range
         */
        public OutboxMessage build() {
            return new OutboxMessage(
                    idempotencyKey,
                    payload,
                    requestDigest.orElseGet(() -> digest(payload)),
                    orderingKey,
                    notBefore,
                    expiresAt,
                    traceparent);
        }
    }
}
