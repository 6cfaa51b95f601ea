package dev.spream.emulator.internal.stream;

import com.google.protobuf.Timestamp;
import com.google.protobuf.Value;
import com.google.spanner.v1.ChangeStreamRecord;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ColumnMetadata;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.Mod;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ModType;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ModValue;
import com.google.spanner.v1.ChangeStreamRecord.DataChangeRecord.ValueCaptureType;
import com.google.spanner.v1.ChangeStreamRecord.HeartbeatRecord;
import com.google.spanner.v1.ChangeStreamRecord.PartitionEndRecord;
import com.google.spanner.v1.ChangeStreamRecord.PartitionEventRecord;
import com.google.spanner.v1.ChangeStreamRecord.PartitionEventRecord.MoveInEvent;
import com.google.spanner.v1.ChangeStreamRecord.PartitionEventRecord.MoveOutEvent;
import com.google.spanner.v1.ChangeStreamRecord.PartitionStartRecord;
import com.google.spanner.v1.ResultSetMetadata;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.sql.Values;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** Encodes the records of a stream with mutable key ranges: as a PROTO in GoogleSQL and as BYTES in PostgreSQL. */
final class ProtoRecordEncoder implements RecordEncoder {
    private final ResultSetMetadata metadata;

    ProtoRecordEncoder(Dialect dialect, String function) {
        this.metadata = dialect == Dialect.POSTGRESQL
                ? ChangeRecordType.postgresqlProtoBytes(function)
                : ChangeRecordType.GOOGLE_STANDARD_SQL_PROTO;
    }

    @Override
    public ResultSetMetadata metadata() {
        return metadata;
    }

    @Override
    public Value encode(StreamRecord record) {
        ChangeStreamRecord.Builder proto = ChangeStreamRecord.newBuilder();
        return value(
                switch (record) {
                    case DataRecord data -> proto.setDataChangeRecord(data(data));
                    case StreamRecord.Start start -> proto.setPartitionStartRecord(start(start));
                    case StreamRecord.Event event -> proto.setPartitionEventRecord(event(event));
                    case StreamRecord.End end ->
                        proto.setPartitionEndRecord(PartitionEndRecord.newBuilder()
                                .setEndTimestamp(timestamp(end.timestamp()))
                                .setRecordSequence(end.sequenceText())
                                .setPartitionToken(end.token()));
                });
    }

    @Override
    public Value heartbeat(Instant timestamp) {
        return value(ChangeStreamRecord.newBuilder()
                .setHeartbeatRecord(HeartbeatRecord.newBuilder().setTimestamp(timestamp(timestamp))));
    }

    private static DataChangeRecord data(DataRecord record) {
        DataRecord.Transaction transaction = record.transaction();
        List<Column> columns = record.columns();
        DataChangeRecord.Builder data = DataChangeRecord.newBuilder()
                .setCommitTimestamp(timestamp(record.timestamp()))
                .setRecordSequence(record.sequenceText())
                .setServerTransactionId(transaction.id())
                .setIsLastRecordInTransactionInPartition(record.lastInPartition())
                .setTable(record.layout().table().name())
                .setModType(ModType.valueOf(record.kind().name()))
                .setValueCaptureType(
                        ValueCaptureType.valueOf(transaction.valueCapture().name()))
                .setNumberOfRecordsInTransaction(transaction.records())
                .setNumberOfPartitionsInTransaction(transaction.partitions())
                .setTransactionTag(transaction.tag())
                .setIsSystemTransaction(transaction.system());
        for (Column column : columns) {
            data.addColumnMetadata(ColumnMetadata.newBuilder()
                    .setName(column.name())
                    .setType(column.type())
                    .setIsPrimaryKey(record.layout().isKey(column))
                    .setOrdinalPosition(column.ordinalPosition()));
        }
        for (RowChange change : record.changes()) {
            data.addMods(Mod.newBuilder()
                    .addAllKeys(values(columns, record.layout().keys(), change.row()))
                    .addAllNewValues(values(columns, record.newColumns(change), change.after()))
                    .addAllOldValues(values(columns, record.oldColumns(change), change.before())));
        }
        return data.build();
    }

    private static List<ModValue> values(List<Column> listed, List<Column> columns, Map<String, Value> row) {
        return columns.stream()
                .map(column -> ModValue.newBuilder()
                        .setColumnMetadataIndex(listed.indexOf(column))
                        .setValue(row.getOrDefault(column.name(), Values.NULL))
                        .build())
                .toList();
    }

    private static PartitionStartRecord.Builder start(StreamRecord.Start start) {
        return PartitionStartRecord.newBuilder()
                .setStartTimestamp(timestamp(start.timestamp()))
                .setRecordSequence(start.sequenceText())
                .addAllPartitionTokens(
                        start.children().stream().map(StreamRecord.Child::token).toList());
    }

    private static PartitionEventRecord.Builder event(StreamRecord.Event event) {
        PartitionEventRecord.Builder proto = PartitionEventRecord.newBuilder()
                .setCommitTimestamp(timestamp(event.timestamp()))
                .setRecordSequence(event.sequenceText())
                .setPartitionToken(event.token());
        event.sources()
                .forEach(
                        source -> proto.addMoveInEvents(MoveInEvent.newBuilder().setSourcePartitionToken(source)));
        event.destinations()
                .forEach(destination ->
                        proto.addMoveOutEvents(MoveOutEvent.newBuilder().setDestinationPartitionToken(destination)));
        return proto;
    }

    private static Value value(ChangeStreamRecord.Builder record) {
        return Values.string(Base64.getEncoder().encodeToString(record.build().toByteArray()));
    }

    private static Timestamp timestamp(Instant instant) {
        return Timestamp.newBuilder()
                .setSeconds(instant.getEpochSecond())
                .setNanos(instant.getNano())
                .build();
    }
}
