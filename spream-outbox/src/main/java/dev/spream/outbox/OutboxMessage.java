package dev.spream.outbox;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import dev.spream.core.Sha256;
import dev.spream.core.serialization.SerializedValue;
import dev.spream.core.serialization.TypeRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A message to enqueue in an outbox: its payload, and the keys and times that govern its sending.
 *
 * @param idempotencyKey the permanent name of the request: enqueueing it again means the same request. 1 to {@value
 *     #MAX_KEY} characters
 * @param payload the content to send, a JSON text
 * @param requestDigest distinguishes different requests with the same key; the digest of the payload by default. 1 to
 *     {@value #MAX_DIGEST} characters
 * @param payloadType the name of the type of the payload, for receivers that get several. 1 to {@value #MAX_TYPE} characters
 * @param destination the sender of workers that sends it, by the name under which they have it; empty, the default, for
 *     the default sender. 1 to {@value #MAX_DESTINATION} letters, digits, dots, underscores and hyphens
 * @param orderingKey entries with the same destination and ordering key are sent one at a time, in the order in which
 *     they were enqueued; entries without one as soon as there is capacity. 1 to {@value #MAX_KEY} characters
 * @param notBefore the earliest time to send it; immediately by default
 * @param delay the time to wait before it is sent, from when it is enqueued by the database's clock; none by default.
 *     The later of both applies. An entry that waits holds the later ones of its ordering key
 * @param expiresAt the time from which it must no longer be sent, after {@code notBefore} and the end of the delay; never by
 *     default
 * @param traceparent the W3C trace context of the request, the parent of the spans of its delivery
 */
public record OutboxMessage(
        String idempotencyKey,
        String payload,
        String requestDigest,
        Optional<String> payloadType,
        String destination,
        Optional<String> orderingKey,
        Optional<Instant> notBefore,
        Duration delay,
        Optional<Instant> expiresAt,
        Optional<String> traceparent) {
    public static final int MAX_KEY = 512;
    public static final int MAX_DIGEST = 200;
    public static final int MAX_TYPE = 200;
    public static final int MAX_DESTINATION = 100;
    public static final Duration MAX_DELAY = Duration.ofDays(3650);
    private static final int MAX_TRACEPARENT = 200;
    private static final Pattern DESTINATION = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    public OutboxMessage {
        requireText("idempotencyKey", idempotencyKey, MAX_KEY);
        requireNonNull(payload, "payload");
        requireText("requestDigest", requestDigest, MAX_DIGEST);
        payloadType.ifPresent(type -> requireText("payloadType", type, MAX_TYPE));
        if (!destination.isEmpty()) {
            requireDestination(destination);
        }
        requireBetween("delay", delay, Duration.ZERO, MAX_DELAY);
        orderingKey.ifPresent(key -> requireText("orderingKey", key, MAX_KEY));
        requireNonNull(notBefore, "notBefore");
        requireNonNull(expiresAt, "expiresAt");
        notBefore.ifPresent(start -> requireTime(expiresAt, start, "notBefore"));
        traceparent.ifPresent(parent -> requireText("traceparent", parent, MAX_TRACEPARENT));
    }

    /** Returns a message that may be sent immediately and never expires, with the digest of its payload. */
    public static OutboxMessage of(String idempotencyKey, String payload) {
        return builder(idempotencyKey, payload).build();
    }

    public static Builder builder(String idempotencyKey, String payload) {
        return new Builder(requireNonNull(idempotencyKey, "idempotencyKey"), requireNonNull(payload, "payload"));
    }

    /**
     * Returns a builder of a message with a value as its payload, under the stored name of its type. A {@link TypedSender}
     * gets the value.
     *
     * @throws IllegalArgumentException if its class is not registered
     * @throws dev.spream.core.serialization.SerializationException if it cannot be written
     */
    public static Builder typed(TypeRegistry types, String idempotencyKey, Object value) {
        SerializedValue serialized = types.serialize(value);
        return builder(idempotencyKey, serialized.json()).payloadType(serialized.type());
    }

    /** Returns the SHA-256 of the text in UTF-8, in hexadecimal with the prefix {@code sha256:}. */
    public static String digest(String text) {
        return "sha256:" + Sha256.hex(text);
    }

    /**
     * Returns the name of a destination.
     *
     * @throws IllegalArgumentException if it is no name
     */
    public static String requireDestination(String name) {
        if (!DESTINATION.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "destination '%s' must be 1 to %d letters, digits, dots, underscores and hyphens, starting with a letter or digit"
                            .formatted(name, MAX_DESTINATION));
        }
        return name;
    }

    /**
     * Checks that the message does not expire before its delay ends. Stores call this for new requests.
     *
     * @param enqueuedAt the time of the enqueue, by the database's clock
     * @throws IllegalArgumentException if it does
     */
    public void requireTimeAfterDelay(Instant enqueuedAt) {
        if (delay.isPositive()) {
            requireTime(expiresAt, enqueuedAt.plus(delay), "the end of its delay of " + DurationText.of(delay));
        }
    }

    private static void requireTime(Optional<Instant> expiresAt, Instant start, String what) {
        expiresAt.filter(end -> !end.isAfter(start)).ifPresent(end -> {
            throw new IllegalArgumentException("expiresAt is %s; it must be after %s, %s, or the message is never sent"
                    .formatted(end, what, start));
        });
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
        return "OutboxMessage[idempotencyKey=%s, destination=%s, orderingKey=%s]"
                .formatted(idempotencyKey, destination.isEmpty() ? "-" : destination, orderingKey.orElse("-"));
    }

    /** A builder of messages. Confined to one thread. */
    public static final class Builder {
        private final String idempotencyKey;
        private final String payload;
        private Optional<String> requestDigest = Optional.empty();
        private Optional<String> payloadType = Optional.empty();
        private String destination = "";
        private Optional<String> orderingKey = Optional.empty();
        private Optional<Instant> notBefore = Optional.empty();
        private Duration delay = Duration.ZERO;
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

        public Builder payloadType(String payloadType) {
            this.payloadType = Optional.of(payloadType);
            return this;
        }

        public Builder destination(String destination) {
            this.destination = requireDestination(destination);
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

        /** Sets the time to wait before it is sent; {@link Duration#ZERO}, the default, to {@link #MAX_DELAY}. */
        public Builder afterDelay(Duration delay) {
            this.delay = requireNonNull(delay, "delay");
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
                    payloadType,
                    destination,
                    orderingKey,
                    notBefore,
                    delay,
                    expiresAt,
                    traceparent);
        }
    }
}
