package dev.spream.format.avro;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.Encoder;
import org.apache.avro.io.EncoderFactory;

/** A value in Avro's binary encoding, with its schema. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Datum(WriterSchema schema, byte[] bytes) {

    /** Writes a value. */
    interface Writing {
        void to(Encoder out) throws IOException;
    }

    static byte[] bytes(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder out = EncoderFactory.get().directBinaryEncoder(bytes, null);
        try {
            writing.to(out);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // nothing is written but memory
        }
        return bytes.toByteArray();
    }
}
