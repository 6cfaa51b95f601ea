package dev.spream.core.consume;

import static java.util.Objects.requireNonNull;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The primary key of a row, over all tables. Two keys are equal when they name the same row.
 *
 * @param tableName the table
 * @param primaryKey the key's columns and their values
 */
public record RecordKey(String tableName, JsonObject primaryKey) {
    public RecordKey {
        requireNonNull(tableName, "tableName");
        requireNonNull(primaryKey, "primaryKey");
    }

    /** The keys of all rows that the record changes. */
    public static Set<RecordKey> of(DataChangeRecord change) {
        Set<RecordKey> keys = LinkedHashSet.newLinkedHashSet(change.mods().size());
        change.mods().forEach(mod -> keys.add(new RecordKey(change.tableName(), mod.keys())));
        return keys;
    }
}
