package dev.spream.storage.spanner.source;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import com.google.spanner.v1.ChangeStreamRecord;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ColumnMetadata;
import com.google.spanner.v1.ChangeStreamRecord.PartitionEventRecord.MoveInEvent;
import com.google.spanner.v1.ChangeStreamRecord.PartitionEventRecord.MoveOutEvent;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.record.PartitionEndRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.PartitionStartRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Reads the records of streams with mutable key ranges, which are protocol buffers: PROTO values in GoogleSQL databases,
 * BYTES in PostgreSQL ones. A field of text counts as missing if it is empty, because the format does not distinguish
 * the two; fields that nothing depends on may be missing. Methods throw {@link IllegalArgumentException} for values that are not
 * change records.
 *
 * @see <a
 *     href="https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.v1#google.spanner.v1.ChangeStreamRecord">Spanner:
 *     ChangeStreamRecord</a>
 */
final class ProtoRecords {
    private ProtoRecords() {}

    /** Returns the message in a value of type PROTO or BYTES, which is base64. */
    static ChangeStreamRecord message(EncodedValue row) {
        try {
            return ChangeStreamRecord.parseFrom(Base64.getDecoder().decode(row.stringBytes()));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("malformed ChangeStreamRecord: " + e.getMessage(), e);
        }
    }

    static ChangeRecord decode(ChangeStreamRecord record) {
        return switch (record.getRecordCase()) {
            case DATA_CHANGE_RECORD -> dataChange(record.getDataChangeRecord());
            case HEARTBEAT_RECORD -> heartbeat(record.getHeartbeatRecord());
            case PARTITION_START_RECORD -> start(record.getPartitionStartRecord());
            case PARTITION_EVENT_RECORD -> event(record.getPartitionEventRecord());
            case PARTITION_END_RECORD -> end(record.getPartitionEndRecord());
            case RECORD_NOT_SET ->
                throw new IllegalArgumentException(
                        "no data change, heartbeat, partition start, partition event or partition end record in a"
                                + " ChangeStreamRecord with unknown fields "
                                + record.getUnknownFields().asMap().keySet());
        };
    }

    private static DataChangeRecord dataChange(ChangeStreamRecord.DataChangeRecord change) {
        List<ColumnMetadata> columns = change.getColumnMetadataList();
        return new DataChangeRecord(
                timestamp("commit_timestamp", change.hasCommitTimestamp(), change.getCommitTimestamp()),
                required("record_sequence", change.getRecordSequence()),
                required("server_transaction_id", change.getServerTransactionId()),
                change.getIsLastRecordInTransactionInPartition(),
                required("table", change.getTable()),
                columnTypes(columns),
                mods(change.getModsList(), columns),
                modType(change),
                valueCaptureType(change),
                change.getNumberOfRecordsInTransaction(),
                change.getNumberOfPartitionsInTransaction(),
                change.getTransactionTag(),
                change.getIsSystemTransaction());
    }

    private static List<ColumnType> columnTypes(List<ColumnMetadata> columns) {
        List<ColumnType> types = new ArrayList<>(columns.size());
        for (ColumnMetadata column : columns) {
            types.add(new ColumnType(
                    required("name of a column", column.getName()),
                    ProtoTypes.type(column.getType()),
                    column.getIsPrimaryKey(),
                    column.getOrdinalPosition()));
        }
        return types;
    }

    private static List<Mod> mods(List<ChangeStreamRecord.DataChangeRecord.Mod> rows, List<ColumnMetadata> columns) {
        List<Mod> mods = new ArrayList<>(rows.size());
        for (ChangeStreamRecord.DataChangeRecord.Mod row : rows) {
            mods.add(new Mod(
                    ProtoValues.object(row.getKeysList(), columns),
                    ProtoValues.object(row.getNewValuesList(), columns),
                    ProtoValues.object(row.getOldValuesList(), columns)));
        }
        return mods;
    }

    /** Returns the name of the type, or the number of one that this version does not know. */
    static String modType(ChangeStreamRecord.DataChangeRecord change) {
        return change.getModType() == ChangeStreamRecord.DataChangeRecord.ModType.UNRECOGNIZED
                ? String.valueOf(change.getModTypeValue())
                : change.getModType().name();
    }

    /** Returns the name of the type, or the number of one that this version does not know. */
    static String valueCaptureType(ChangeStreamRecord.DataChangeRecord change) {
        return change.getValueCaptureType() == ChangeStreamRecord.DataChangeRecord.ValueCaptureType.UNRECOGNIZED
                ? String.valueOf(change.getValueCaptureTypeValue())
                : change.getValueCaptureType().name();
    }

    private static HeartbeatRecord heartbeat(ChangeStreamRecord.HeartbeatRecord heartbeat) {
        return new HeartbeatRecord(timestamp("timestamp", heartbeat.hasTimestamp(), heartbeat.getTimestamp()));
    }

    private static PartitionStartRecord start(ChangeStreamRecord.PartitionStartRecord start) {
        List<String> tokens = new ArrayList<>(start.getPartitionTokensCount());
        for (String token : start.getPartitionTokensList()) {
            tokens.add(required("partition token", token));
        }
        return new PartitionStartRecord(
                timestamp("start_timestamp", start.hasStartTimestamp(), start.getStartTimestamp()),
                start.getRecordSequence(),
                tokens);
    }

    private static PartitionEventRecord event(ChangeStreamRecord.PartitionEventRecord event) {
        List<String> sources = new ArrayList<>(event.getMoveInEventsCount());
        for (MoveInEvent moveIn : event.getMoveInEventsList()) {
            sources.add(required("source_partition_token", moveIn.getSourcePartitionToken()));
        }
        List<String> destinations = new ArrayList<>(event.getMoveOutEventsCount());
        for (MoveOutEvent moveOut : event.getMoveOutEventsList()) {
            destinations.add(required("destination_partition_token", moveOut.getDestinationPartitionToken()));
        }
        return new PartitionEventRecord(
                timestamp("commit_timestamp", event.hasCommitTimestamp(), event.getCommitTimestamp()),
                required("record_sequence", event.getRecordSequence()),
                event.getPartitionToken(),
                sources,
                destinations);
    }

    private static PartitionEndRecord end(ChangeStreamRecord.PartitionEndRecord end) {
        return new PartitionEndRecord(
                timestamp("end_timestamp", end.hasEndTimestamp(), end.getEndTimestamp()),
                end.getRecordSequence(),
                end.getPartitionToken());
    }

    private static String required(String name, String value) {
        if (value.isEmpty()) {
            throw missing(name);
        }
        return value;
    }

    private static Instant timestamp(String name, boolean isSet, Timestamp value) {
        if (!isSet) {
            throw missing(name);
        }
        return instant(value);
    }

    static Instant instant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }

    private static IllegalArgumentException missing(String name) {
        return new IllegalArgumentException("a change record has no " + name);
    }
}
