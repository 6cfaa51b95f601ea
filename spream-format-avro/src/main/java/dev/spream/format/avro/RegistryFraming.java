package dev.spream.format.avro;

import dev.spream.format.schema.SchemaRegistry;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The wire format of Confluent's serializers: a zero, and the id of the schema in the registry as four bytes.
 *
 * @see <a href="https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/index.html#wire-format">Wire
 *     format</a>
 */
record RegistryFraming(SchemaRegistry registry) implements Framing {
    private static final byte MAGIC = 0;

    @Override
    public byte[] framed(Datum datum, Optional<String> subject) {
        int id = registry.id(
                subject.orElseGet(() -> datum.schema().schema().getFullName()),
                datum.schema().text());
        byte[] header =
                ByteBuffer.allocate(1 + Integer.BYTES).put(MAGIC).putInt(id).array();
        return Framing.join(header, datum.bytes());
    }
}
