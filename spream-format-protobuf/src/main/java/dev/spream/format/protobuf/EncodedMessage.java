package dev.spream.format.protobuf;

import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;

/** A message in Protobuf's binary encoding, with its schema. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record EncodedMessage(MessageSchema schema, byte[] bytes) {
    private static final int BUFFER = 64; // most messages are small, and those in others all the more

    /** Writes the fields of a message. */
    interface Writing {
        void to(CodedOutputStream out) throws IOException;
    }

    /** Returns the bytes of a message. */
    static byte[] bytes(Writing writing) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(BUFFER);
        CodedOutputStream out = CodedOutputStream.newInstance(bytes, BUFFER);
        try {
            writing.to(out);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // nothing is written but memory
        }
        return bytes.toByteArray();
    }

    /** Returns a {@code google.protobuf.Timestamp}. */
    static byte[] timestamp(Instant time) {
        return bytes(out -> {
            out.writeInt64(1, time.getEpochSecond());
            out.writeInt32(2, time.getNano());
        });
    }
}
