package dev.spream.emulator.internal.stream;

import com.google.protobuf.Value;
import dev.spream.emulator.control.PartitionControl.KeyRange;
import dev.spream.emulator.internal.schema.RowChange;

/** Maps a row to the key space by its table and primary key. The same in every run. */
final class KeyHash {
    private static final long OFFSET = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;
    private static final int SHIFT = Long.SIZE - Long.numberOfTrailingZeros(KeyRange.SPACE);

    private KeyHash() {}

    /** Returns the hash of the row's key, from 0 to {@link KeyRange#SPACE}, exclusive. */
    static long of(RowChange change) {
        long hash = mix(OFFSET, change.table().name());
        for (String column : change.table().primaryKey()) {
            Value value = change.row().getOrDefault(column, Value.getDefaultInstance());
            hash = mix(hash * PRIME + value.getKindCase().getNumber(), text(value));
        }
        return scatter(hash) >>> SHIFT;
    }

    private static String text(Value value) {
        return switch (value.getKindCase()) {
            case STRING_VALUE -> value.getStringValue();
            case NUMBER_VALUE -> Double.toString(value.getNumberValue());
            case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
            case NULL_VALUE, KIND_NOT_SET -> "";
            case LIST_VALUE, STRUCT_VALUE ->
                throw new IllegalArgumentException(
                        "a key contains no arrays and no structs, got " + value.getKindCase());
        };
    }

    private static long mix(long hash, String text) {
        long result = hash;
        for (int i = 0; i < text.length(); i++) {
            result = (result ^ text.charAt(i)) * PRIME;
        }
        return result;
    }

    /** Spreads neighbouring keys over the whole space (the finaliser of MurmurHash3). */
    private static long scatter(long hash) {
        long h = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        h = (h ^ (h >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return h ^ (h >>> 33);
    }
}
