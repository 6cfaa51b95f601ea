package dev.spream.storage.spanner.source;

import com.google.protobuf.Value;
import com.google.spanner.v1.ChangeStreamRecord;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ColumnMetadata;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ModValue;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.core.source.UndecodableChange;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Examines a message that could not be decoded: whether it has exactly one data change, and which parts of that can be
 * read. A message with unknown fields may name partitions.
 */
final class RawMessage {
    private RawMessage() {}

    /** Returns the change in the message; empty if it may have other content as well. */
    static Optional<UndecodableChange> change(ChangeStreamRecord record) {
        if (!record.hasDataChangeRecord() || !record.getUnknownFields().asMap().isEmpty()) {
            return Optional.empty();
        }
        DataChangeRecord change = record.getDataChangeRecord();
        return Optional.of(new UndecodableChange(
                RawRow.readable(() -> ProtoRecords.instant(change.getCommitTimestamp()))
                        .filter(timestamp -> change.hasCommitTimestamp()),
                present(change.getServerTransactionId()),
                present(change.getRecordSequence()),
                present(change.getTable()),
                JsonObject.of(Map.of(RawRow.DATA_CHANGE, members(change))).toString()));
    }

    private static Optional<String> present(String value) {
        return value.isEmpty() ? Optional.empty() : Optional.of(value);
    }

    private static Map<String, @Nullable Object> members(DataChangeRecord change) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        if (change.hasCommitTimestamp()) {
            members.put(
                    "commit_timestamp",
                    RawRow.readable(() -> ProtoRecords.instant(change.getCommitTimestamp())
                                    .toString())
                            .orElse(null));
        }
        members.put("record_sequence", change.getRecordSequence());
        members.put("server_transaction_id", change.getServerTransactionId());
        members.put("is_last_record_in_transaction_in_partition", change.getIsLastRecordInTransactionInPartition());
        members.put("table_name", change.getTable());
        members.put(
                "column_types",
                change.getColumnMetadataList().stream().map(RawMessage::members).toList());
        members.put(
                "mods",
                change.getModsList().stream()
                        .map(mod -> members(mod, change.getColumnMetadataList()))
                        .toList());
        members.put("mod_type", ProtoRecords.modType(change));
        members.put("value_capture_type", ProtoRecords.valueCaptureType(change));
        members.put("number_of_records_in_transaction", change.getNumberOfRecordsInTransaction());
        members.put("number_of_partitions_in_transaction", change.getNumberOfPartitionsInTransaction());
        members.put("transaction_tag", change.getTransactionTag());
        members.put("is_system_transaction", change.getIsSystemTransaction());
        return members;
    }

    private static Map<String, Object> members(ColumnMetadata column) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("name", column.getName());
        members.put("type", ProtoTypes.type(column.getType()).json().members());
        members.put("is_primary_key", column.getIsPrimaryKey());
        members.put("ordinal_position", column.getOrdinalPosition());
        return members;
    }

    private static Map<String, Object> members(DataChangeRecord.Mod mod, List<ColumnMetadata> columns) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("keys", members(mod.getKeysList(), columns));
        members.put("new_values", members(mod.getNewValuesList(), columns));
        members.put("old_values", members(mod.getOldValuesList(), columns));
        return members;
    }

    /** Returns the values by the names of their columns, or by their index where there is no column. */
    private static Map<String, @Nullable Object> members(List<ModValue> values, List<ColumnMetadata> columns) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        for (ModValue value : values) {
            int index = value.getColumnMetadataIndex();
            String name = index < 0 || index >= columns.size()
                    ? "column_metadata_index " + index
                    : columns.get(index).getName();
            members.put(name, json(value.getValue()));
        }
        return members;
    }

    private static @Nullable Object json(Value value) {
        if (value.getKindCase() == Value.KindCase.KIND_NOT_SET) {
            return null;
        }
        if (value.hasListValue()) {
            List<@Nullable Object> elements = new ArrayList<>();
            value.getListValue().getValuesList().forEach(element -> elements.add(json(element)));
            return elements;
        }
        StringBuilder json = new StringBuilder();
        ProtoValues.append(json, value);
        return Json.parse(json.toString());
    }
}
