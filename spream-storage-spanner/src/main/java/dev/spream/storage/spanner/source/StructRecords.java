package dev.spream.storage.spanner.source;

import com.google.spanner.v1.StructType.Field;
import com.google.spanner.v1.Type;
import dev.spream.core.record.ChangeRecord;
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
import org.jspecify.annotations.Nullable;

/**
 * Reads change records that are structs, from the values of the protocol. The positions of the fields are looked up
 * once. Methods throw {@link IllegalArgumentException} for values that are not change records. Confined to one reader.
 */
final class StructRecords {
    private final Type type;
    private final StructField dataChanges;
    private final StructField heartbeats;
    private final StructField childPartitions;
    private final DataChanges dataChange;
    private final StructField heartbeatTime;
    private final Children children;

    /** @param type the type of a record, whose fields are arrays of which one has an element */
    StructRecords(Type type) {
        this.type = type;
        this.dataChanges = StructField.of(type, "data_change_record");
        this.heartbeats = StructField.of(type, "heartbeat_record");
        this.childPartitions = StructField.of(type, "child_partitions_record");
        this.dataChange = new DataChanges(dataChanges.elementType());
        this.heartbeatTime = StructField.of(heartbeats.elementType(), "timestamp");
        this.children = new Children(childPartitions.elementType());
    }

    List<ChangeRecord> decode(List<EncodedValue> changeRecords) {
        List<ChangeRecord> records = new ArrayList<>(changeRecords.size());
        for (EncodedValue changeRecord : changeRecords) {
            if (!changeRecord.isNull()) {
                decode(changeRecord.list(), records);
            }
        }
        return records;
    }

    private void decode(List<EncodedValue> changeRecord, List<ChangeRecord> records) {
        int before = records.size();
        for (List<EncodedValue> data : dataChanges.structs(changeRecord)) {
            records.add(dataChange.decode(data));
        }
        for (List<EncodedValue> heartbeat : heartbeats.structs(changeRecord)) {
            records.add(new HeartbeatRecord(heartbeatTime.timestamp(heartbeat)));
        }
        List<List<EncodedValue>> named = childPartitions.structs(changeRecord);
        for (List<EncodedValue> record : named) {
            children.decode(record, records);
        }
        if (records.size() == before && named.isEmpty()) {
            throw new IllegalArgumentException("no data change, heartbeat or child partitions record in a struct of "
                    + type.getStructType().getFieldsList().stream()
                            .map(Field::getName)
                            .toList());
        }
    }

    private static final class DataChanges {
        private final StructField commitTimestamp;
        private final StructField recordSequence;
        private final StructField serverTransactionId;
        private final StructField isLastRecord;
        private final StructField tableName;
        private final StructField mods;
        private final StructField modType;
        private final StructField valueCaptureType;
        private final StructField numberOfRecords;
        private final StructField numberOfPartitions;
        private final StructField transactionTag;
        private final StructField isSystemTransaction;
        private final Columns columns;
        private final StructField keys;
        private final StructField newValues;
        private final StructField oldValues;

        DataChanges(Type type) {
            this.commitTimestamp = StructField.of(type, "commit_timestamp");
            this.recordSequence = StructField.of(type, "record_sequence");
            this.serverTransactionId = StructField.of(type, "server_transaction_id");
            this.isLastRecord = StructField.of(type, "is_last_record_in_transaction_in_partition");
            this.tableName = StructField.of(type, "table_name");
            this.mods = StructField.of(type, "mods");
            this.modType = StructField.of(type, "mod_type");
            this.valueCaptureType = StructField.of(type, "value_capture_type");
            this.numberOfRecords = StructField.of(type, "number_of_records_in_transaction");
            this.numberOfPartitions = StructField.of(type, "number_of_partitions_in_transaction");
            this.transactionTag = StructField.of(type, "transaction_tag");
            this.isSystemTransaction = StructField.of(type, "is_system_transaction");
            this.columns = new Columns(StructField.of(type, "column_types"));
            Type mod = mods.elementType();
            this.keys = StructField.of(mod, "keys");
            this.newValues = StructField.of(mod, "new_values");
            this.oldValues = StructField.of(mod, "old_values");
        }

        DataChangeRecord decode(List<EncodedValue> data) {
            return new DataChangeRecord(
                    commitTimestamp.timestamp(data),
                    recordSequence.string(data),
                    serverTransactionId.string(data),
                    isLastRecord.bool(data),
                    tableName.string(data),
                    columns.decode(data),
                    mods(mods.structs(data)),
                    modType.stringOrEmpty(data),
                    valueCaptureType.stringOrEmpty(data),
                    numberOfRecords.int64(data),
                    numberOfPartitions.int64(data),
                    transactionTag.stringOrEmpty(data),
                    isSystemTransaction.bool(data));
        }

        private List<Mod> mods(List<List<EncodedValue>> rows) {
            List<Mod> mods = new ArrayList<>(rows.size());
            for (List<EncodedValue> row : rows) {
                mods.add(new Mod(
                        keys.json(row).orElse(JsonObject.EMPTY),
                        newValues.json(row).orElse(JsonObject.EMPTY),
                        oldValues.json(row).orElse(JsonObject.EMPTY)));
            }
            return mods;
        }
    }

    /** The columns of a change. Those of the last one are kept: they are usually those of the next, too. */
    private static final class Columns {
        private final StructField array;
        private final StructField name;
        private final StructField type;
        private final StructField isPrimaryKey;
        private final StructField ordinalPosition;

        private @Nullable EncodedValue last;
        private List<ColumnType> lastTypes = List.of();

        Columns(StructField array) {
            Type column = array.elementType();
            this.array = array;
            this.name = StructField.of(column, "name");
            this.type = StructField.of(column, "type");
            this.isPrimaryKey = StructField.of(column, "is_primary_key");
            this.ordinalPosition = StructField.of(column, "ordinal_position");
        }

        List<ColumnType> decode(List<EncodedValue> change) {
            EncodedValue columns = array.value(change);
            if (columns == null) {
                return List.of();
            }
            if (last == null || !columns.hasBytesOf(last)) {
                lastTypes = List.copyOf(
                        array.structs(columns).stream().map(this::column).toList());
                last = columns.copy();
            }
            return lastTypes;
        }

        private ColumnType column(List<EncodedValue> column) {
            return new ColumnType(
                    name.string(column),
                    new SpannerType(type.json(column).orElse(JsonObject.EMPTY)),
                    isPrimaryKey.bool(column),
                    ordinalPosition.int64(column));
        }
    }

    private static final class Children {
        private final StructField startTimestamp;
        private final StructField recordSequence;
        private final StructField childPartitions;
        private final StructField token;
        private final StructField parentTokens;

        Children(Type type) {
            this.startTimestamp = StructField.of(type, "start_timestamp");
            this.recordSequence = StructField.of(type, "record_sequence");
            this.childPartitions = StructField.of(type, "child_partitions");
            this.token = StructField.of(childPartitions.elementType(), "token");
            this.parentTokens = StructField.of(childPartitions.elementType(), "parent_partition_tokens");
        }

        /**
         * Adds the children; an empty list means that there are none, and a missing list that the record is of another
         * kind.
         */
        void decode(List<EncodedValue> record, List<ChangeRecord> records) {
            List<ChildPartition> children = new ArrayList<>();
            for (List<EncodedValue> child : childPartitions.requiredStructs(record)) {
                children.add(ChildPartition.of(token.string(child), parentTokens.strings(child)));
            }
            if (!children.isEmpty()) {
                records.add(new ChildPartitionsRecord(
                        startTimestamp.timestamp(record), recordSequence.stringOrEmpty(record), children));
            }
        }
    }
}
