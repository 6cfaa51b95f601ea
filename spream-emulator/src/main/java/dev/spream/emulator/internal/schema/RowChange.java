package dev.spream.emulator.internal.schema;

import com.google.protobuf.Value;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The change of one row by one transaction; several writes of the row are merged.
 *
 * @param table the table as it was at commit
 * @param kind the kind of change
 * @param before the whole row before the transaction; empty for an insert
 * @param after the whole row after it; empty for a delete
 * @param writtenColumns the columns that the transaction named in its writes, key columns included
 */
public record RowChange(
        Table table, Kind kind, Map<String, Value> before, Map<String, Value> after, Set<String> writtenColumns) {

    public enum Kind {
        INSERT,
        UPDATE,
        DELETE
    }

    public RowChange {
        before = Collections.unmodifiableMap(new LinkedHashMap<>(before));
        after = Collections.unmodifiableMap(new LinkedHashMap<>(after));
        writtenColumns = Set.copyOf(writtenColumns);
    }

    /** Returns the row after the change, or before it for a delete; both contain the key. */
    public Map<String, Value> row() {
        return kind == Kind.DELETE ? before : after;
    }
}
