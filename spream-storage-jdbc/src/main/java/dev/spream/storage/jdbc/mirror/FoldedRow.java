package dev.spream.storage.jdbc.mirror;

import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** The changes of one row in a batch, folded into one. Confined to the call that folds them. */
final class FoldedRow {
    private boolean deleted;
    private @Nullable SortedMap<String, @Nullable String> values;

    void delete() {
        deleted = true;
        values = null;
    }

    /** Writes these columns. Other columns keep their values, or get their defaults after a delete. */
    void write(SortedMap<String, @Nullable String> written) {
        if (values == null) {
            values = written;
        } else {
            values.putAll(written);
        }
    }

    /** Returns whether the existing row has to be deleted first. */
    boolean isDeleted() {
        return deleted;
    }

    /** Returns the columns to write, without those of the key; null if the row is deleted in the end. */
    @Nullable
    SortedMap<String, @Nullable String> values() {
        return values;
    }
}
