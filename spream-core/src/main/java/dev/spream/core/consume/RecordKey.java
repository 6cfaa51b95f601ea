package dev.spream.core.consume;

import static java.util.Objects.requireNonNull;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import java.math.BigDecimal;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

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

    /** Returns the keys of all rows that the record changes. */
    public static Set<RecordKey> of(DataChangeRecord change) {
        Set<RecordKey> keys = LinkedHashSet.newLinkedHashSet(change.mods().size());
        change.mods().forEach(mod -> keys.add(new RecordKey(change.tableName(), mod.keys())));
        return keys;
    }

    /**
     * Returns the table and the primary key, such as {@code Orders/{"Id":"17"}}: the same text for equal keys, in any
     * version.
     */
    public String text() {
        return tableName + "/" + canonicalKey();
    }

    /** Returns the primary key as JSON, its columns in the order of their names: the same text for equal keys. */
    public String canonicalKey() {
        return JsonObject.of(canonical(primaryKey.members())).toString();
    }

    private static Map<String, @Nullable Object> canonical(Map<?, ?> members) {
        Map<String, @Nullable Object> canonical = new TreeMap<>();
        members.forEach((name, value) -> canonical.put((String) name, canonicalValue(value)));
        return canonical;
    }

    /** Returns the value with its numbers in canonical form; they would otherwise be written as they were received. */
    private static @Nullable Object canonicalValue(@Nullable Object value) {
        return switch (value) {
            case Map<?, ?> nested -> canonical(nested);
            case BigDecimal number -> new BigDecimal(number.unscaledValue(), number.scale());
            case null, default -> value;
        };
    }
}
