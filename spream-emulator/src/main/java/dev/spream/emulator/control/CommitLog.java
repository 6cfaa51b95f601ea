package dev.spream.emulator.control;

import com.google.protobuf.Value;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The rows that a database of the emulator has committed since the log was requested, for tests that compare them with what
 * a reader has delivered. It is written by the commit itself, and not by a change stream. Safe for use by many threads.
 */
@FunctionalInterface
public interface CommitLog {

    /**
     * A row that a transaction has changed.
     *
     * @param timestamp the commit timestamp
     * @param table the table's name, as declared
     * @param deleted whether the row was deleted
     * @param row the whole row by column, in Spanner's wire encoding; as it was before, if it was deleted
     */
    record CommittedRow(Instant timestamp, String table, boolean deleted, Map<String, Value> row) {
        public CommittedRow {
            row = Collections.unmodifiableMap(new LinkedHashMap<>(row));
        }
    }

    /** Returns the rows in the order of their commits. */
    List<CommittedRow> rows();
}
