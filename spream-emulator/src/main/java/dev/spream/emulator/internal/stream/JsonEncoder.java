package dev.spream.emulator.internal.stream;

import com.google.protobuf.Value;
import com.google.spanner.v1.ResultSetMetadata;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.RowChange;
import java.time.Instant;

/** PostgreSQL: a JSON object with one of three keys. */
final class JsonEncoder implements RecordEncoder {
    private static final int USUAL_LENGTH = 1024;

    private final ResultSetMetadata metadata;

    JsonEncoder(String function) {
        this.metadata = ChangeRecordType.postgresql(function);
    }

    @Override
    public ResultSetMetadata metadata() {
        return metadata;
    }

    @Override
    public Value data(DataRecord record) {
        DataRecord.Transaction transaction = record.transaction();
        StringBuilder out = new StringBuilder(USUAL_LENGTH).append("{\"data_change_record\":{");
        string(out, "commit_timestamp", transaction.commitTimestamp().toString());
        string(out, "record_sequence", record.sequenceText());
        string(out, "server_transaction_id", transaction.id());
        key(out, "is_last_record_in_transaction_in_partition").append(record.lastInPartition());
        string(out, "table_name", record.layout().table().name());
        columnTypes(out, record);
        mods(out, record);
        string(out, "mod_type", record.kind().name());
        string(out, "value_capture_type", transaction.valueCapture().name());
        key(out, "number_of_records_in_transaction").append(transaction.records());
        key(out, "number_of_partitions_in_transaction").append(transaction.partitions());
        string(out, "transaction_tag", transaction.tag());
        key(out, "is_system_transaction").append(false);
        return value(out.append("}}"));
    }

    private static void columnTypes(StringBuilder out, DataRecord record) {
        key(out, "column_types").append('[');
        for (Column column : record.columns()) {
            JsonText.separate(out, '[');
            out.append('{');
            string(out, "name", column.name());
            JsonText.type(key(out, "type"), column.type());
            key(out, "is_primary_key").append(record.layout().isKey(column));
            key(out, "ordinal_position").append(column.ordinalPosition());
            out.append('}');
        }
        out.append(']');
    }

    private static void mods(StringBuilder out, DataRecord record) {
        key(out, "mods").append('[');
        for (RowChange change : record.changes()) {
            JsonText.separate(out, '[');
            out.append('{');
            JsonText.row(key(out, "keys"), record.layout().keys(), change.row());
            JsonText.row(key(out, "new_values"), record.newColumns(change), change.after());
            JsonText.row(key(out, "old_values"), record.oldColumns(change), change.before());
            out.append('}');
        }
        out.append(']');
    }

    @Override
    public Value heartbeat(Instant timestamp) {
        StringBuilder out = new StringBuilder("{\"heartbeat_record\":{");
        string(out, "timestamp", timestamp.toString());
        return value(out.append("}}"));
    }

    @Override
    public Value children(ChildRecord record) {
        StringBuilder out = new StringBuilder("{\"child_partitions_record\":{");
        string(out, "start_timestamp", record.start().toString());
        string(out, "record_sequence", record.sequenceText());
        key(out, "child_partitions").append('[');
        for (ChildRecord.Child child : record.children()) {
            child(out, child);
        }
        return value(out.append("]}}"));
    }

    private static void child(StringBuilder out, ChildRecord.Child child) {
        JsonText.separate(out, '[');
        out.append('{');
        string(out, "token", child.token());
        key(out, "parent_partition_tokens").append('[');
        for (String parent : child.parents()) {
            JsonText.separate(out, '[');
            JsonText.string(out, parent);
        }
        out.append("]}");
    }

    private static void string(StringBuilder out, String key, String text) {
        JsonText.string(key(out, key), text);
    }

    private static StringBuilder key(StringBuilder out, String key) {
        JsonText.separate(out, '{');
        JsonText.string(out, key);
        return out.append(':');
    }

    private static Value value(StringBuilder text) {
        return Value.newBuilder().setStringValue(text.toString()).build();
    }
}
