package dev.spream.flink.table;

import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.flink.ChangeDeserializationSchema;
import java.io.IOException;
import java.io.Serial;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/**
 * Emits the rows of one table, with the kind of their change: the columns in the order of their declaration, and then the
 * metadata.
 *
 * <p>With old rows, an update is the row before and the row after it, and a delete is the deleted row. Without, an update is the
 * row after it, and a delete has the primary key, and NULL in the columns of which the change holds no old value.
 */
final class RowDataDeserializationSchema implements ChangeDeserializationSchema<RowData> {
    @Serial
    private static final long serialVersionUID = 1;

    private final String table;

    @SuppressWarnings("serial") // a copy, which is serializable
    private final List<TableColumn> columns;

    @SuppressWarnings("serial") // a copy, which is serializable
    private final List<ReadableMetadata> metadata;

    private final boolean oldRows;
    private final TypeInformation<RowData> producedType;

    // The types of the last change, by the name of their column; most changes have the same.
    private transient @Nullable List<ColumnType> lastTypes;
    private transient Map<String, ColumnType> typesByName = Map.of();

    /**
     * Creates a schema.
     *
     * @param table the table in Spanner; changes of other tables are not emitted
     * @param columns the columns of the row
     * @param metadata what follows the columns
     * @param oldRows whether rows before their change are emitted
     * @param producedType the type of the row
     */
    RowDataDeserializationSchema(
            String table,
            List<TableColumn> columns,
            List<ReadableMetadata> metadata,
            boolean oldRows,
            TypeInformation<RowData> producedType) {
        this.table = table;
        this.columns = List.copyOf(columns);
        this.metadata = List.copyOf(metadata);
        this.oldRows = oldRows;
        this.producedType = producedType;
    }

    @Override
    public TypeInformation<RowData> getProducedType() {
        return producedType;
    }

    @Override
    public void deserialize(DataChangeRecord change, Collector<RowData> out) throws IOException {
        if (!change.tableName().equals(table)) {
            return;
        }
        checkTypes(change);
        for (Mod mod : change.mods()) {
            switch (change.modType()) {
                case INSERT -> out.collect(after(change, mod, RowKind.INSERT));
                case UPDATE -> {
                    if (oldRows) {
                        out.collect(before(change, mod));
                    }
                    out.collect(after(change, mod, RowKind.UPDATE_AFTER));
                }
                case DELETE -> out.collect(deleted(change, mod));
                case UNKNOWN ->
                    throw failed(
                            change, "it is a %s, which this version does not know".formatted(change.modTypeName()));
            }
        }
    }

    private void checkTypes(DataChangeRecord change) throws IOException {
        if (change.columnTypes().equals(lastTypes)) {
            return;
        }
        Map<String, ColumnType> types = new HashMap<>();
        change.columnTypes().forEach(column -> types.put(column.name(), column));
        for (TableColumn column : columns) {
            ColumnType found = types.get(column.name());
            if (found != null && !ColumnValues.holds(column.type(), found.type())) {
                throw failed(
                        change,
                        "column %s has the type %s, and is declared as %s: %s"
                                .formatted(
                                        column.name(),
                                        found.type().json(),
                                        column.type().asSummaryString(),
                                        ColumnValues.typeFor(found.type())
                                                .map("declare it as %s"::formatted)
                                                .orElse("this version cannot read it; leave it out")));
            }
        }
        checkKey(change);
        typesByName = types;
        lastTypes = change.columnTypes();
    }

    private void checkKey(DataChangeRecord change) throws IOException {
        String declared = columns.stream()
                .filter(TableColumn::isKey)
                .map(TableColumn::name)
                .sorted()
                .collect(Collectors.joining(", "));
        String key = change.columnTypes().stream()
                .filter(ColumnType::isPrimaryKey)
                .map(ColumnType::name)
                .sorted()
                .collect(Collectors.joining(", "));
        if (!declared.isEmpty() && !declared.equals(key)) {
            throw failed(
                    change,
                    "the primary key is (%s), and is declared as (%s): declare the key that the table has, in its case"
                            .formatted(key, declared));
        }
    }

    private RowData before(DataChangeRecord change, Mod mod) throws IOException {
        if (!hasOldValues(change.valueCaptureType())) {
            throw withoutOldValues(change);
        }
        GenericRowData row = row(change, RowKind.UPDATE_BEFORE);
        for (int i = 0; i < columns.size(); i++) {
            TableColumn column = columns.get(i);
            JsonObject old = mod.oldValues().has(column.name()) ? mod.oldValues() : mod.newValues();
            row.setField(i, held(change, column, isKey(column) ? mod.keys() : old));
        }
        return row;
    }

    private RowData after(DataChangeRecord change, Mod mod, RowKind kind) throws IOException {
        GenericRowData row = row(change, kind);
        for (int i = 0; i < columns.size(); i++) {
            TableColumn column = columns.get(i);
            row.setField(i, held(change, column, isKey(column) ? mod.keys() : mod.newValues()));
        }
        return row;
    }

    private RowData deleted(DataChangeRecord change, Mod mod) throws IOException {
        boolean hasOldValues = hasOldValues(change.valueCaptureType());
        GenericRowData row = row(change, RowKind.DELETE);
        for (int i = 0; i < columns.size(); i++) {
            TableColumn column = columns.get(i);
            if (isKey(column)) {
                row.setField(i, held(change, column, mod.keys()));
            } else if (hasOldValues) {
                row.setField(i, held(change, column, mod.oldValues()));
            } else if (oldRows || !column.type().isNullable()) {
                throw withoutOldValues(change);
            }
        }
        return row;
    }

    private GenericRowData row(DataChangeRecord change, RowKind kind) {
        GenericRowData row = new GenericRowData(kind, columns.size() + metadata.size());
        for (int i = 0; i < metadata.size(); i++) {
            row.setField(columns.size() + i, metadata.get(i).of(change));
        }
        return row;
    }

    private boolean isKey(TableColumn column) {
        ColumnType type = typesByName.get(column.name());
        return type != null && type.isPrimaryKey();
    }

    private @Nullable Object held(DataChangeRecord change, TableColumn column, JsonObject values) throws IOException {
        if (!typesByName.containsKey(column.name()) || !values.has(column.name())) {
            throw missing(change, column);
        }
        try {
            return ColumnValues.convert(values.get(column.name()), column.type());
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    failure(change, "column %s cannot be converted: %s".formatted(column.name(), e.getMessage())), e);
        }
    }

    private static boolean hasOldValues(ValueCaptureType capture) {
        return capture == ValueCaptureType.OLD_AND_NEW_VALUES || capture == ValueCaptureType.NEW_ROW_AND_OLD_VALUES;
    }

    private IOException withoutOldValues(DataChangeRecord change) {
        return failed(
                change,
                "its stream captures %s, without old values: let it capture NEW_ROW_AND_OLD_VALUES, or declare 'value-capture' = 'NEW_ROW', a primary key, and no other column NOT NULL"
                        .formatted(change.valueCaptureTypeName()));
    }

    private IOException missing(DataChangeRecord change, TableColumn column) {
        boolean wholeRows = change.valueCaptureType() == ValueCaptureType.NEW_ROW
                || change.valueCaptureType() == ValueCaptureType.NEW_ROW_AND_OLD_VALUES;
        return failed(
                change,
                wholeRows
                        ? "it does not hold column %s, although its stream captures %s: the column does not exist in that case of letters, did not exist then, or is not watched. Let the stream watch it, or leave it out"
                                .formatted(column.name(), change.valueCaptureTypeName())
                        : "it does not hold column %s, because its stream captures %s: let it capture %s, or leave the column out"
                                .formatted(
                                        column.name(),
                                        change.valueCaptureTypeName(),
                                        oldRows ? "NEW_ROW_AND_OLD_VALUES" : "NEW_ROW"));
    }

    private IOException failed(DataChangeRecord change, String cause) {
        return new IOException(failure(change, cause));
    }

    private String failure(DataChangeRecord change, String cause) {
        return "table %s: the %s committed at %s cannot be a row: %s. It is not emitted, and the job fails"
                .formatted(table, change.modTypeName(), change.commitTimestamp(), cause);
    }
}
