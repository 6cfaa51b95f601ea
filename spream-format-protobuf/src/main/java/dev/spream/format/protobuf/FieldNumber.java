package dev.spream.format.protobuf;

import dev.spream.core.Sha256;
import java.nio.ByteBuffer;

/**
 * The number of a column's field: the first 29 bits of the SHA-256 of its type and its name, such as {@code int64 Id}, in
 * UTF-8. A number that is reserved, for fields of the format (1 to 15) or by Protobuf (19000 to 19999), is 1000 greater.
 *
 * @see <a href="https://protobuf.dev/programming-guides/proto3/#assigning">Assigning field numbers</a>
 */
final class FieldNumber {
    private static final int BITS = 29;
    private static final int FIRST = 16;
    private static final int RESERVED_FROM = 19_000;
    private static final int RESERVED_TO = 19_999;
    private static final int STEP = 1_000;

    private FieldNumber() {}

    static int of(String type, String column) {
        return valid(ByteBuffer.wrap(Sha256.of(type + " " + column)).getInt() >>> (Integer.SIZE - BITS));
    }

    static int valid(int number) {
        return number < FIRST || (number >= RESERVED_FROM && number <= RESERVED_TO) ? number + STEP : number;
    }
}
