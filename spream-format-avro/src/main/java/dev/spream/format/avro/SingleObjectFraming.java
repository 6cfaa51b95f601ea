package dev.spream.format.avro;

import dev.spream.format.schema.SchemaLog;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Avro's single-object encoding: two bytes, and the fingerprint of the schema. The log shows each schema once, with its
 * fingerprint, for receivers that need it.
 *
 * @see <a href="https://avro.apache.org/docs/1.12.0/specification/#single-object-encoding">Avro's specification</a>
 */
record SingleObjectFraming(SchemaLog log) implements Framing {
    private static final byte[] MARK = {(byte) 0xC3, 0x01};

    @Override
    public byte[] framed(Datum datum, Optional<String> subject) {
        WriterSchema schema = datum.schema();
        log.show("the fingerprint " + HexFormat.of().formatHex(schema.fingerprint()), schema.text());
        return Framing.join(Framing.join(MARK, schema.fingerprint()), datum.bytes());
    }
}
