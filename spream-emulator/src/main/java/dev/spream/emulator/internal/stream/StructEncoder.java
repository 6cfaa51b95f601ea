package dev.spream.emulator.internal.stream;

import static dev.spream.emulator.internal.sql.Values.string;

import com.google.protobuf.ListValue;
import com.google.protobuf.Value;
import com.google.spanner.v1.ResultSetMetadata;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.sql.Values;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** GoogleSQL: arrays of structures, as {@link ChangeRecordType} declares them. */
final class StructEncoder implements RecordEncoder {
    private static final Value NOTHING = list();

    // Records in a row mostly have the same columns.
    private volatile @Nullable ColumnTypes lastColumnTypes;

    private record ColumnTypes(TableLayout layout, List<Column> columns, Value encoded) {}

    @Override
    public ResultSetMetadata metadata() {
        return ChangeRecordType.GOOGLE_STANDARD_SQL;
    }

    @Override
    public Value data(DataRecord record) {
        DataRecord.Transaction transaction = record.transaction();
        Value data = list(
                string(transaction.commitTimestamp().toString()),
                string(record.sequenceText()),
                string(transaction.id()),
                bool(record.lastInPartition()),
                string(record.layout().table().name()),
                columnTypes(record),
                mods(record),
                string(record.kind().name()),
                string(transaction.valueCapture().name()),
                string(Integer.toString(transaction.records())),
                string(Integer.toString(transaction.partitions())),
                string(transaction.tag()),
                bool(false));
        return list(list(list(data), NOTHING, NOTHING));
    }

    private Value columnTypes(DataRecord record) {
        ColumnTypes known = lastColumnTypes;
        if (known != null
                && known.layout().equals(record.layout())
                && known.columns().equals(record.columns())) {
            return known.encoded();
        }
        Value encoded = encodeColumnTypes(record);
        lastColumnTypes = new ColumnTypes(record.layout(), record.columns(), encoded);
        return encoded;
    }

    private static Value encodeColumnTypes(DataRecord record) {
        ListValue.Builder types = ListValue.newBuilder();
        for (Column column : record.columns()) {
            types.addValues(list(
                    string(column.name()),
                    string(RecordJson.type(column.type()).toString()),
                    bool(record.layout().isKey(column)),
                    string(Integer.toString(column.ordinalPosition()))));
        }
        return Value.newBuilder().setListValue(types).build();
    }

    private static Value mods(DataRecord record) {
        ListValue.Builder mods = ListValue.newBuilder();
        for (RowChange change : record.changes()) {
            mods.addValues(list(
                    keys(record, change),
                    json(record.newColumns(change), change.after()),
                    json(record.oldColumns(change), change.before())));
        }
        return Value.newBuilder().setListValue(mods).build();
    }

    /** Of a table whose key has no columns, the JSON value null, as Google's emulator sends it. */
    private static Value keys(DataRecord record, RowChange change) {
        List<Column> keys = record.layout().keys();
        return keys.isEmpty() ? string("null") : json(keys, change.row());
    }

    private static Value json(List<Column> columns, Map<String, Value> row) {
        return string(RecordJson.row(columns, row).toString());
    }

    @Override
    public Value heartbeat(Instant timestamp) {
        return list(list(NOTHING, list(list(string(timestamp.toString()))), NOTHING));
    }

    @Override
    public Value children(ChildRecord record) {
        ListValue.Builder children = ListValue.newBuilder();
        for (ChildRecord.Child child : record.children()) {
            Value[] parents = child.parents().stream().map(Values::string).toArray(Value[]::new);
            children.addValues(list(string(child.token()), list(parents)));
        }
        Value row = list(
                string(record.start().toString()),
                string(record.sequenceText()),
                Value.newBuilder().setListValue(children).build());
        return list(list(NOTHING, NOTHING, list(row)));
    }

    private static Value list(Value... values) {
        return Value.newBuilder()
                .setListValue(ListValue.newBuilder().addAllValues(List.of(values)))
                .build();
    }

    private static Value bool(boolean value) {
        return Value.newBuilder().setBoolValue(value).build();
    }
}
