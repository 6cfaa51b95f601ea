package dev.spream.api.spi;

import static java.util.Objects.requireNonNull;

import java.util.List;

/**
 * A change that waits for its file.
 *
 * @param kind changes of different kinds are in different files; changes of a row are of one kind. Empty where all
 *     changes can be in one file
 * @param schema the schema of the values, of which files of a format with schemas are made; otherwise empty
 * @param values the change, as one value or as one for each of its rows; not to be modified
 */
public record EncodedChange(String kind, String schema, List<byte[]> values) {
    public EncodedChange {
        requireNonNull(kind, "kind");
        requireNonNull(schema, "schema");
        values = List.copyOf(values);
    }

    /** Returns a change as one value, of the only kind there is. */
    public static EncodedChange of(byte[] value) {
        return new EncodedChange("", "", List.of(value));
    }

    /** Returns the number of bytes in the values. */
    public long size() {
        long size = 0;
        for (byte[] value : values) {
            size += value.length;
        }
        return size;
    }
}
