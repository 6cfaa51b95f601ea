package dev.spream.format.protobuf;

import dev.spream.format.schema.SchemaRegistry;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The wire format of Confluent's serializers: a zero, the id of the schema in the registry as four bytes, and the place of
 * the message in its {@code .proto} file.
 *
 * @see <a href="https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/index.html#wire-format">Wire
 *     format</a>
 */
record RegisteredFraming(SchemaRegistry registry) implements MessageFraming {
    private static final byte MAGIC = 0;

    @Override
    public byte[] framed(EncodedMessage message, Optional<String> subject) {
        MessageSchema schema = message.schema();
        int id = registry.id(subject.orElse(schema.name()), schema.text());
        return ByteBuffer.allocate(1 + Integer.BYTES + schema.index().length + message.bytes().length)
                .put(MAGIC)
                .putInt(id)
                .put(schema.index())
                .put(message.bytes())
                .array();
    }
}
