package dev.spream.storage.spanner.source;

import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.StructReader;
import com.google.cloud.spanner.Type;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.SpannerType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads change records from rows. Those of streams with immutable key ranges are an array of structs in GoogleSQL
 * databases and JSON in PostgreSQL ones; those of streams with mutable key ranges are {@linkplain ProtoRecords messages}
 * in both. Future additions are tolerated: unknown fields are ignored, unknown names of types are kept. NULL arrays and
 * NULL elements count as absent. Methods throw {@link IllegalArgumentException} for values that are not change records.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/change-streams/details#change_streams_record_format">Spanner:
 *     change streams record format</a>
 */
final class ChangeRecordDecoder {
    private ChangeRecordDecoder() {}

    /** Returns the records of the current row: always one today, but the type allows more. */
    static List<ChangeRecord> decode(ResultSet row) {
        Type type = row.getColumnType(0);
        return switch (type.getCode()) {
            case ARRAY -> row.isNull(0) ? List.of() : decode(row.getStructList(0));
            case PG_JSONB -> ChangeRecordJson.read(row.getPgJsonb(0));
            case JSON -> ChangeRecordJson.read(row.getJson(0));
            case PROTO, BYTES -> row.isNull(0) ? List.of() : List.of(ProtoRecords.decode(ProtoRecords.message(row)));
            default -> throw new IllegalArgumentException("no change record in a column of type " + type);
        };
    }

    static List<ChangeRecord> decode(List<Struct> changeRecords) {
        List<ChangeRecord> records = new ArrayList<>(changeRecords.size());
        for (Struct changeRecord : Fields.present(changeRecords)) {
            int before = records.size();
            List<Struct> children = Fields.structs(changeRecord, "child_partitions_record");
            Fields.structs(changeRecord, "data_change_record").forEach(data -> records.add(dataChange(data)));
            Fields.structs(changeRecord, "heartbeat_record").forEach(beat -> records.add(heartbeat(beat)));
            children.forEach(record -> children(record).ifPresent(records::add));
            if (records.size() == before && children.isEmpty()) {
                throw new IllegalArgumentException(
                        "no data change, heartbeat or child partitions record in " + changeRecord.getType());
            }
        }
        return records;
    }

    private static DataChangeRecord dataChange(StructReader data) {
        return new DataChangeRecord(
                Fields.timestamp(data, "commit_timestamp"),
                Fields.string(data, "record_sequence"),
                Fields.string(data, "server_transaction_id"),
                Fields.bool(data, "is_last_record_in_transaction_in_partition"),
                Fields.string(data, "table_name"),
                columnTypes(Fields.structs(data, "column_types")),
                mods(Fields.structs(data, "mods")),
                Fields.stringOrEmpty(data, "mod_type"),
                Fields.stringOrEmpty(data, "value_capture_type"),
                Fields.int64(data, "number_of_records_in_transaction"),
                Fields.int64(data, "number_of_partitions_in_transaction"),
                Fields.stringOrEmpty(data, "transaction_tag"),
                Fields.bool(data, "is_system_transaction"));
    }

    private static List<ColumnType> columnTypes(List<Struct> columns) {
        List<ColumnType> types = new ArrayList<>(columns.size());
        for (Struct column : columns) {
            types.add(new ColumnType(
                    Fields.string(column, "name"),
                    new SpannerType(Fields.json(column, "type").orElse(JsonObject.EMPTY)),
                    Fields.bool(column, "is_primary_key"),
                    Fields.int64(column, "ordinal_position")));
        }
        return types;
    }

    private static List<Mod> mods(List<Struct> rows) {
        List<Mod> mods = new ArrayList<>(rows.size());
        for (Struct row : rows) {
            mods.add(new Mod(
                    Fields.json(row, "keys").orElse(JsonObject.EMPTY),
                    Fields.json(row, "new_values").orElse(JsonObject.EMPTY),
                    Fields.json(row, "old_values").orElse(JsonObject.EMPTY)));
        }
        return mods;
    }

    private static HeartbeatRecord heartbeat(StructReader heartbeat) {
        return new HeartbeatRecord(Fields.timestamp(heartbeat, "timestamp"));
    }

    /**
     * Returns the children; an empty list means that there are none, and a missing list that the record is of another
     * kind.
     */
    private static Optional<ChildPartitionsRecord> children(StructReader record) {
        List<Struct> named = Fields.requiredStructs(record, "child_partitions");
        List<ChildPartition> children = new ArrayList<>(named.size());
        for (Struct child : named) {
            children.add(
                    ChildPartition.of(Fields.string(child, "token"), Fields.strings(child, "parent_partition_tokens")));
        }
        return children.isEmpty()
                ? Optional.empty()
                : Optional.of(new ChildPartitionsRecord(
                        Fields.timestamp(record, "start_timestamp"),
                        Fields.stringOrEmpty(record, "record_sequence"),
                        children));
    }
}
