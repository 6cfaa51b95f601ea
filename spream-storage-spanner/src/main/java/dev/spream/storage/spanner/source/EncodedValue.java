package dev.spream.storage.spanner.source;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.UnknownFieldSet;
import com.google.protobuf.Value;
import com.google.protobuf.Value.KindCase;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A value of the protocol as it was sent: a view of the bytes of a {@link Value}, of which only what is asked for is
 * decoded. Methods throw {@link IllegalArgumentException} for malformed bytes and for a value of another kind. Immutable.
 */
final class EncodedValue {
    private static final char REPLACEMENT = '\uFFFD'; // of what is not UTF-8; valid text may contain it too

    private final byte[] bytes;
    private final int start;
    private final int content; // the start of the content, without its tag and length
    private final int end;
    private final KindCase kind;

    private EncodedValue(byte[] bytes, int start, int content, int end, KindCase kind) {
        this.bytes = bytes;
        this.start = start;
        this.content = content;
        this.end = end;
        this.kind = kind;
    }

    /** @param value the bytes of a {@link Value} */
    static EncodedValue of(ByteString value) {
        return of(value.toByteArray());
    }

    private static EncodedValue of(byte[] value) {
        try {
            return read(value, 0, value.length);
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    private static EncodedValue read(byte[] bytes, int start, int end) throws IOException {
        CodedInputStream in = CodedInputStream.newInstance(bytes, start, end - start);
        int tag = in.readTag();
        KindCase kind = KindCase.forNumber(WireFormat.getTagFieldNumber(tag));
        if (kind == null || WireFormat.getTagWireType(tag) != wireType(kind)) {
            return normalized(bytes, start, end);
        }
        int content;
        if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
            int length = in.readRawVarint32();
            content = start + in.getTotalBytesRead();
            in.skipRawBytes(length);
        } else {
            content = start + in.getTotalBytesRead();
            in.skipField(tag);
        }
        return in.isAtEnd() ? new EncodedValue(bytes, start, content, end, kind) : normalized(bytes, start, end);
    }

    private static int wireType(KindCase kind) {
        return switch (kind) {
            case NULL_VALUE, BOOL_VALUE -> WireFormat.WIRETYPE_VARINT;
            case NUMBER_VALUE -> WireFormat.WIRETYPE_FIXED64;
            case STRING_VALUE, STRUCT_VALUE, LIST_VALUE -> WireFormat.WIRETYPE_LENGTH_DELIMITED;
            case KIND_NOT_SET -> -1;
        };
    }

    /** Returns a value that is not exactly one known field: the last one counts, and unknown ones do not. */
    private static EncodedValue normalized(byte[] bytes, int start, int end) throws IOException {
        Value value = Value.parser().parseFrom(bytes, start, end - start);
        return value.getKindCase() == KindCase.KIND_NOT_SET
                ? new EncodedValue(bytes, end, end, end, KindCase.KIND_NOT_SET)
                : of(value.toBuilder()
                        .setUnknownFields(UnknownFieldSet.getDefaultInstance())
                        .build()
                        .toByteArray());
    }

    KindCase kind() {
        return kind;
    }

    boolean isNull() {
        return kind == KindCase.NULL_VALUE;
    }

    boolean bool() {
        require(KindCase.BOOL_VALUE);
        try {
            return CodedInputStream.newInstance(bytes, content, end - content).readBool();
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    String string() {
        require(KindCase.STRING_VALUE);
        String text = new String(bytes, content, end - content, StandardCharsets.UTF_8);
        if (text.indexOf(REPLACEMENT) >= 0
                && !ByteString.copyFrom(bytes, content, end - content).isValidUtf8()) {
            throw new IllegalArgumentException("a string is not UTF-8");
        }
        return text;
    }

    /** Returns a view of the bytes of a string. */
    ByteBuffer stringBytes() {
        require(KindCase.STRING_VALUE);
        return ByteBuffer.wrap(bytes, content, end - content);
    }

    /** Returns the elements of a list. */
    List<EncodedValue> list() {
        require(KindCase.LIST_VALUE);
        List<EncodedValue> elements = new ArrayList<>();
        try {
            CodedInputStream in = CodedInputStream.newInstance(bytes, content, end - content);
            while (!in.isAtEnd()) {
                int tag = in.readTag();
                if (WireFormat.getTagFieldNumber(tag) == ListValue.VALUES_FIELD_NUMBER) {
                    int length = in.readRawVarint32();
                    int element = content + in.getTotalBytesRead();
                    in.skipRawBytes(length);
                    elements.add(read(bytes, element, element + length));
                } else {
                    in.skipField(tag);
                }
            }
        } catch (IOException e) {
            throw malformed(e);
        }
        return elements;
    }

    /** Returns the same value without the bytes around it. */
    EncodedValue copy() {
        return of(Arrays.copyOfRange(bytes, start, end));
    }

    /** Returns whether both were sent as the same bytes. */
    boolean hasBytesOf(EncodedValue other) {
        return Arrays.equals(bytes, start, end, other.bytes, other.start, other.end);
    }

    /** Returns the whole value as a message. */
    Value decode() {
        try {
            return Value.parser().parseFrom(bytes, start, end - start);
        } catch (InvalidProtocolBufferException e) {
            throw malformed(e);
        }
    }

    private void require(KindCase expected) {
        if (kind != expected) {
            throw new IllegalArgumentException("%s was expected, found %s".formatted(expected, kind));
        }
    }

    private static IllegalArgumentException malformed(IOException cause) {
        return new IllegalArgumentException("a value is malformed: " + cause.getMessage(), cause);
    }
}
