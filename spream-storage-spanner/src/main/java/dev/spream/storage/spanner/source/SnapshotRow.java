package dev.spream.storage.spanner.source;

import com.google.cloud.spanner.ResultSet;
import com.google.spanner.v1.StructType.Field;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.ValueCaptureType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A row of a snapshot as a change: an insert at the time of the snapshot, in a transaction of its own. */
final class SnapshotRow {
    private SnapshotRow() {}

    /**
     * Returns the change of the current row, which has the columns of the table. Its identity is the same whenever it is
     * read.
     *
     * @param number the number of rows of the table before it
     */
    static DataChangeRecord change(
            WatchedTable table, List<ColumnType> columnTypes, Instant snapshotTime, long number, ResultSet row) {
        String sequence = String.format(Locale.ROOT, "%016d", number);
        int keyColumns = table.key().size();
        return new DataChangeRecord(
                snapshotTime,
                sequence,
                "snapshot:" + table.name() + ":" + sequence,
                true,
                table.name(),
                columnTypes,
                List.of(new Mod(
                        object(table, row, 0, keyColumns),
                        object(table, row, keyColumns, table.columns().size()),
                        JsonObject.EMPTY)),
                ModType.INSERT.name(),
                ValueCaptureType.NEW_ROW.name(),
                1,
                1,
                "",
                false);
    }

    /** Returns the types of the columns; the same for all rows of one read. */
    static List<ColumnType> columnTypes(WatchedTable table, ResultSet row) {
        List<Field> fields = row.getMetadata().getRowType().getFieldsList();
        List<ColumnType> types = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            WatchedTable.Column column = table.columns().get(i);
            types.add(new ColumnType(
                    column.name(),
                    ProtoTypes.type(fields.get(i).getType()),
                    i < table.key().size(),
                    column.ordinal()));
        }
        return types;
    }

    private static JsonObject object(WatchedTable table, ResultSet row, int from, int to) {
        StringBuilder json = new StringBuilder("{");
        for (int i = from; i < to; i++) {
            if (i > from) {
                json.append(',');
            }
            Json.append(json, table.columns().get(i).name());
            json.append(':');
            ProtoValues.append(json, ProtoValues.of(row, i));
        }
        return JsonObject.of(json.append('}').toString());
    }
}
