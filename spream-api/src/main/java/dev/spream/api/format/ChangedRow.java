package dev.spream.api.format;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A row of a change, as a sink sends it.
 *
 * @param change the change, with all of its rows
 * @param index the row's place among them, from 0
 * @param delivery the delivery of the change
 */
public record ChangedRow(DataChangeRecord change, int index, Delivery delivery) {
    public ChangedRow {
        requireNonNull(change, "change");
        requireNonNull(delivery, "delivery");
        if (index < 0 || index >= change.mods().size()) {
            throw new IllegalArgumentException("index is %d, must be 0 to %d"
                    .formatted(index, change.mods().size() - 1));
        }
    }

    /** Returns the rows of a change, in order. */
    public static List<ChangedRow> of(DataChangeRecord change, Delivery delivery) {
        return IntStream.range(0, change.mods().size())
                .mapToObj(index -> new ChangedRow(change, index, delivery))
                .toList();
    }

    public Mod mod() {
        return change.mods().get(index);
    }

    public boolean isDelete() {
        return change.modType() == ModType.DELETE;
    }

    /** Returns the key of the row, over all tables. */
    public RecordKey recordKey() {
        return new RecordKey(change.tableName(), mod().keys());
    }

    /** Returns the identity of the change and the index, such as {@code 2026-01-31T12:00:00Z/6329047911/00000000/0}. */
    public String identity() {
        return change.identity() + "/" + index;
    }
}
