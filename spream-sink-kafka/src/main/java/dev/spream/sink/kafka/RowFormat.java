package dev.spream.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;

/**
 * The bytes of a message: the primary key as JSON, its columns by name, and the {@code data_change_record} of the
 * documentation with the one row in {@code mods}. They depend on the change alone.
 */
final class RowFormat {
    private RowFormat() {}

    /** @throws IllegalArgumentException if the primary key cannot be read */
    static byte[] key(DataChangeRecord change, Mod mod) {
        return new RecordKey(change.tableName(), mod.keys()).canonicalKey().getBytes(UTF_8);
    }

    static byte[] value(DataChangeRecord change, Mod mod) {
        return change.withOnly(mod).toJson().getBytes(UTF_8);
    }
}
