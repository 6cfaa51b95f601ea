package dev.spream.format.avro;

import java.util.Optional;

/** The bytes before a message that identify its schema. Safe for use by many threads. */
interface Framing {

    /**
     * Returns the value behind the identification of its schema.
     *
     * @param subject the schema's name in a registry; empty where there is no topic to name it after
     */
    byte[] framed(Datum datum, Optional<String> subject);

    static byte[] join(byte[] header, byte[] body) {
        byte[] whole = new byte[header.length + body.length];
        System.arraycopy(header, 0, whole, 0, header.length);
        System.arraycopy(body, 0, whole, header.length, body.length);
        return whole;
    }
}
