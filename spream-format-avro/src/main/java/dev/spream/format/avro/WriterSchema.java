package dev.spream.format.avro;

import java.security.NoSuchAlgorithmException;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;

/**
 * The schema of a value. Immutable.
 *
 * @param text the schema as JSON
 * @param fingerprint the CRC-64-AVRO of its parsing form, in the order of Avro's single-object encoding
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record WriterSchema(Schema schema, String text, byte[] fingerprint) {

    static WriterSchema of(Schema schema) {
        try {
            return new WriterSchema(
                    schema, schema.toString(), SchemaNormalization.parsingFingerprint("CRC-64-AVRO", schema));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // Avro has its own
        }
    }
}
