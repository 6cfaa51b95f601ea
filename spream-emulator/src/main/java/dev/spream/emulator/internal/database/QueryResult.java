package dev.spream.emulator.internal.database;

import com.google.protobuf.ListValue;
import com.google.spanner.v1.StructType;
import java.util.List;

/**
 * The result of a query or a DML statement: its rows, or the number of changed rows.
 *
 * @param rowType its columns; none for DML that returns no rows
 * @param rows in order
 * @param rowCount the rows that DML changed, or -1 for a query
 */
public record QueryResult(StructType rowType, List<ListValue> rows, long rowCount) {
    public QueryResult {
        rows = List.copyOf(rows);
    }

    public boolean isDml() {
        return rowCount >= 0;
    }
}
