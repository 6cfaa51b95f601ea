package dev.spream.emulator.internal.stream;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.Value;
import com.google.spanner.v1.ResultSetMetadata;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.sql.Values;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;

/** PostgreSQL: a JSON object with one of three keys. */
final class JsonEncoder implements RecordEncoder {
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
        JsonObject json = new JsonObject();
        json.addProperty("commit_timestamp", transaction.commitTimestamp().toString());
        json.addProperty("record_sequence", record.sequenceText());
        json.addProperty("server_transaction_id", transaction.id());
        json.addProperty("is_last_record_in_transaction_in_partition", record.lastInPartition());
        json.addProperty("table_name", record.layout().table().name());
        json.add("column_types", array(record.columns(), column -> columnType(record, column)));
        json.add("mods", array(record.changes(), change -> mod(record, change)));
        json.addProperty("mod_type", record.kind().name());
        json.addProperty("value_capture_type", transaction.valueCapture().name());
        json.addProperty("number_of_records_in_transaction", transaction.records());
        json.addProperty("number_of_partitions_in_transaction", transaction.partitions());
        json.addProperty("transaction_tag", transaction.tag());
        json.addProperty("is_system_transaction", false);
        return value("data_change_record", json);
    }

    private static JsonObject columnType(DataRecord record, Column column) {
        JsonObject json = new JsonObject();
        json.addProperty("name", column.name());
        json.add("type", RecordJson.type(column.type()));
        json.addProperty("is_primary_key", record.layout().isKey(column));
        json.addProperty("ordinal_position", column.ordinalPosition());
        return json;
    }

    private static JsonObject mod(DataRecord record, RowChange change) {
        JsonObject json = new JsonObject();
        json.add("keys", RecordJson.row(record.layout().keys(), change.row()));
        json.add("new_values", RecordJson.row(record.newColumns(change), change.after()));
        json.add("old_values", RecordJson.row(record.oldColumns(change), change.before()));
        return json;
    }

    @Override
    public Value heartbeat(Instant timestamp) {
        JsonObject json = new JsonObject();
        json.addProperty("timestamp", timestamp.toString());
        return value("heartbeat_record", json);
    }

    @Override
    public Value children(ChildRecord record) {
        JsonObject json = new JsonObject();
        json.addProperty("start_timestamp", record.start().toString());
        json.addProperty("record_sequence", record.sequenceText());
        json.add("child_partitions", array(record.children(), JsonEncoder::child));
        return value("child_partitions_record", json);
    }

    private static JsonObject child(ChildRecord.Child child) {
        JsonArray parents = new JsonArray();
        child.parents().forEach(parents::add);
        JsonObject json = new JsonObject();
        json.addProperty("token", child.token());
        json.add("parent_partition_tokens", parents);
        return json;
    }

    private static <T> JsonArray array(List<T> elements, Function<T, JsonElement> json) {
        JsonArray array = new JsonArray();
        elements.forEach(element -> array.add(json.apply(element)));
        return array;
    }

    private static Value value(String key, JsonObject record) {
        JsonObject json = new JsonObject();
        json.add(key, record);
        return Values.string(json.toString());
    }
}
