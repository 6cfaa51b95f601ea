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

    /** Writes these columns; those that are not named stay, or get their defaults after a delete. */
    void write(SortedMap<String, @Nullable String> written) {
        if (values == null) {
            values = written;
        } else {
            values.putAll(written);
        }
    }

    /** Returns whether what is there has to go first. */
    boolean isDeleted() {
        return deleted;
    }

    /** The columns to write, without those of the key; null if there is no row afterwards. */
    @Nullable
    SortedMap<String, @Nullable String> values() {
        return values;
    }
}
