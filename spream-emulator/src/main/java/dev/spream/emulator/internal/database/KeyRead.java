package dev.spream.emulator.internal.database;

import com.google.spanner.v1.KeySet;
import java.util.List;

/**
 * A read by key.
 *
 * @param index the index by which to read, or empty for the primary key
 * @param limit the most rows, or 0 for all
 */
public record KeyRead(String table, String index, List<String> columns, KeySet keys, long limit) {
    public KeyRead {
        columns = List.copyOf(columns);
    }
}
