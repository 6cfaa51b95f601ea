package dev.spream.outbox;

import dev.spream.core.serialization.SerializationException;
import dev.spream.core.serialization.SerializedValue;
import dev.spream.core.serialization.TypeRegistry;
import java.time.Duration;

/**
 * A sender that reads the payloads of entries.
 *
 * @param <T> the type of the values
 */
record TypedPayloads<T>(TypeRegistry types, Class<T> type, TypedSender<T> typed) implements OutboxSender {
    @Override
    public Guarantee guarantee() {
        return typed.guarantee();
    }

    @Override
    public String name() {
        return typed.name();
    }

    @Override
    public SendOutcome send(OutboxEntry entry, Duration timeout) throws Exception {
        T value;
        try {
            value = read(entry);
        } catch (SerializationException e) {
            return new SendOutcome.Retryable(ReasonCode.INVALID_REQUEST, String.valueOf(e.getMessage()));
        }
        return typed.send(value, entry, timeout);
    }

    @Override
    public QueryOutcome query(OutboxEntry entry, Duration timeout) throws Exception {
        return typed.query(read(entry), entry, timeout);
    }

    private T read(OutboxEntry entry) {
        String name = entry.payloadType()
                .orElseThrow(() -> new SerializationException("the payload has no type; enqueue it as typed"));
        Object value = types.deserialize(new SerializedValue(name, entry.payload()));
        if (!type.isInstance(value)) {
            throw new SerializationException("type '%s' is not a %s".formatted(name, type.getName()));
        }
        return type.cast(value);
    }
}
