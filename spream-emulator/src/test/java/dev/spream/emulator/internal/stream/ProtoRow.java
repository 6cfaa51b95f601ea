package dev.spream.emulator.internal.stream;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import com.google.protobuf.Value;
import com.google.spanner.v1.ChangeStreamRecord;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ModValue;
import com.google.spanner.v1.ChangeStreamRecord.PartitionEventRecord.MoveInEvent;
import com.google.spanner.v1.ChangeStreamRecord.PartitionEventRecord.MoveOutEvent;
import java.time.Instant;
import java.util.Base64;
import java.util.List;

/** Takes apart the rows of streams with mutable key ranges; the values of a mod become JSON, as in the other mode. */
final class ProtoRow {
    private ProtoRow() {}

    static ReadRow of(String base64) {
        try {
            return of(ChangeStreamRecord.parseFrom(Base64.getDecoder().decode(base64)));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    static ReadRow of(ChangeStreamRecord record) {
        return switch (record.getRecordCase()) {
            case DATA_CHANGE_RECORD -> data(record.getDataChangeRecord());
            case HEARTBEAT_RECORD ->
                new ReadRow.Heartbeat(instant(record.getHeartbeatRecord().getTimestamp()));
            case PARTITION_START_RECORD -> {
                var start = record.getPartitionStartRecord();
                yield new ReadRow.Children(
                        instant(start.getStartTimestamp()),
                        start.getRecordSequence(),
                        start.getPartitionTokensList().stream()
                                .map(token -> new ReadRow.Child(token, List.of()))
                                .toList());
            }
            case PARTITION_EVENT_RECORD -> {
                var event = record.getPartitionEventRecord();
                yield new ReadRow.Event(
                        instant(event.getCommitTimestamp()),
                        event.getRecordSequence(),
                        event.getPartitionToken(),
                        event.getMoveInEventsList().stream()
                                .map(MoveInEvent::getSourcePartitionToken)
                                .toList(),
                        event.getMoveOutEventsList().stream()
                                .map(MoveOutEvent::getDestinationPartitionToken)
                                .toList());
            }
            case PARTITION_END_RECORD -> {
                var end = record.getPartitionEndRecord();
                yield new ReadRow.End(instant(end.getEndTimestamp()), end.getRecordSequence(), end.getPartitionToken());
            }
            case RECORD_NOT_SET -> throw new IllegalStateException("an empty record");
        };
    }

    private static ReadRow.Data data(DataChangeRecord data) {
        return new ReadRow.Data(
                instant(data.getCommitTimestamp()),
                data.getRecordSequence(),
                data.getServerTransactionId(),
                data.getIsLastRecordInTransactionInPartition(),
                data.getTable(),
                data.getColumnMetadataList().stream()
                        .map(column -> new ReadRow.Column(
                                column.getName(),
                                RecordJson.type(column.getType()).toString(),
                                column.getIsPrimaryKey(),
                                (int) column.getOrdinalPosition()))
                        .toList(),
                data.getModsList().stream()
                        .map(mod -> new ReadRow.Mod(
                                json(data, mod.getKeysList()),
                                json(data, mod.getNewValuesList()),
                                json(data, mod.getOldValuesList())))
                        .toList(),
                data.getModType().name(),
                data.getValueCaptureType().name(),
                data.getNumberOfRecordsInTransaction(),
                data.getNumberOfPartitionsInTransaction(),
                data.getTransactionTag());
    }

    private static String json(DataChangeRecord data, List<ModValue> values) {
        JsonObject json = new JsonObject();
        for (ModValue each : values) {
            String name = data.getColumnMetadata(each.getColumnMetadataIndex()).getName();
            Value value = each.getValue();
            switch (value.getKindCase()) {
                case STRING_VALUE -> json.addProperty(name, value.getStringValue());
                case NUMBER_VALUE -> json.add(name, new JsonPrimitive(value.getNumberValue()));
                case NULL_VALUE -> json.add(name, null);
                default -> throw new IllegalStateException("no column of the tests has " + value);
            }
        }
        return json.toString();
    }

    private static Instant instant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }
}
