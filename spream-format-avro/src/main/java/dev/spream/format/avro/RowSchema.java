package dev.spream.format.avro;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.format.avro.AvroFormatProvider.Timestamps;
import dev.spream.format.schema.RowContents;
import dev.spream.format.schema.RowForm;
import dev.spream.format.schema.RowForm.Use;
import dev.spream.format.schema.SchemaNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.avro.JsonProperties;
import org.apache.avro.Schema;
import org.apache.avro.io.Encoder;
import org.jspecify.annotations.Nullable;

/**
 * The schema of a table's rows with certain columns: a field for each column, in the order of the table, and after them
 * fields about the change. Fields of the primary key have no null, unless a row of the change has one there; all others
 * may be null, and are by default. Immutable.
 */
final class RowSchema {
    static final String DELETED = "__deleted";
    static final String COMMIT_TIMESTAMP = "__commit_timestamp";
    static final String RECORD_SEQUENCE = "__record_sequence";

    private record Column(String name, boolean isKey, boolean isNullable, FieldValues values) {}

    private final RowForm form;
    private final WriterSchema schema;
    private final List<Column> columns;
    private final long keys;

    private RowSchema(RowForm form, WriterSchema schema, List<Column> columns) {
        this.form = form;
        this.schema = schema;
        this.columns = columns;
        this.keys = columns.stream().filter(Column::isKey).count();
    }

    static RowSchema of(RowForm form, Timestamps timestamps) {
        List<Column> columns = new ArrayList<>();
        List<Schema.Field> fields = new ArrayList<>();
        Set<String> names = new HashSet<>(Set.of(DELETED, COMMIT_TIMESTAMP, RECORD_SEQUENCE));
        form.columns().stream()
                .filter(column -> form.use() != Use.KEY || column.isPrimaryKey())
                .sorted(Comparator.comparingLong(ColumnType::ordinalPosition))
                .forEach(column -> {
                    boolean isNullable =
                            !column.isPrimaryKey() || form.nullKeys().contains(column.name());
                    FieldValues values = FieldValues.of(column.type(), timestamps);
                    columns.add(new Column(column.name(), column.isPrimaryKey(), isNullable, values));
                    fields.add(field(column, SchemaNames.distinct(column.name(), names), isNullable, values.schema()));
                    names.add(fields.getLast().name());
                });
        if (form.use() != Use.KEY) {
            fields.add(new Schema.Field(DELETED, Schema.create(Schema.Type.BOOLEAN), null, false));
        }
        if (form.use() == Use.FILE) {
            fields.add(new Schema.Field(COMMIT_TIMESTAMP, FieldValues.micros()));
            fields.add(new Schema.Field(RECORD_SEQUENCE, Schema.create(Schema.Type.STRING)));
        }
        String name = SchemaNames.fullName(form.table()) + (form.use() == Use.KEY ? "Key" : "");
        Schema record = Schema.createRecord(name, null, null, false, fields);
        return new RowSchema(form, WriterSchema.of(record), List.copyOf(columns));
    }

    private static Schema.Field field(ColumnType column, String name, boolean isNullable, Schema type) {
        Schema.Field field = isNullable
                ? new Schema.Field(name, FieldValues.nullable(type), null, JsonProperties.NULL_VALUE)
                : new Schema.Field(name, type);
        field.addProp("spannerType", typeText(column));
        if (!name.equals(column.name())) {
            field.addProp("spannerName", column.name());
        }
        return field;
    }

    private static String typeText(ColumnType column) {
        String element = column.type()
                .arrayElementType()
                .map(type -> "<%s>".formatted(type.typeAnnotation().orElse(type.codeName())))
                .orElse("");
        return column.type().typeAnnotation().orElse(column.type().codeName()) + element;
    }

    WriterSchema schema() {
        return schema;
    }

    /** Returns whether rows with the columns and the NULLs can be written with this schema. */
    boolean covers(RowForm other) {
        if (!form.nullKeys().containsAll(other.nullKeys())) {
            return false;
        }
        Map<String, ColumnType> own =
                form.columns().stream().collect(Collectors.toMap(ColumnType::name, column -> column));
        return other.columns().stream().allMatch(column -> {
            @Nullable ColumnType same = own.get(column.name());
            return same != null && same.type().equals(column.type()) && same.isPrimaryKey() == column.isPrimaryKey();
        });
    }

    /**
     * Returns the row in binary encoding.
     *
     * @param values the values other than those of the key; empty for a deleted row
     * @throws NonRetryableException if a value is none of its column's type
     */
    byte[] bytes(DataChangeRecord change, Mod mod, JsonObject values) {
        return Datum.bytes(out -> write(out, change, mod, values));
    }

    private void write(Encoder out, DataChangeRecord change, Mod mod, JsonObject values) throws IOException {
        RowContents.requireKey(change, mod, keys);
        for (Column column : columns) {
            Object value = column.isKey() ? mod.keys().get(column.name()) : values.get(column.name());
            write(out, change, column, value);
        }
        if (form.use() != Use.KEY) {
            out.writeBoolean(RowContents.isDelete(change));
        }
        if (form.use() == Use.FILE) {
            out.writeLong(FieldValues.micros(change.commitTimestamp()));
            out.writeString(change.recordSequence());
        }
    }

    private static void write(Encoder out, DataChangeRecord change, Column column, @Nullable Object value)
            throws IOException {
        try {
            if (column.isNullable()) {
                column.values().writeNullable(out, value);
            } else if (value == null) {
                throw new IllegalArgumentException("the key has no value");
            } else {
                column.values().writer().write(out, value);
            }
        } catch (RuntimeException e) { // its message may have the value
            throw RowContents.notOfType(
                    change, column.name(), column.values().schema().getType().getName());
        }
    }
}
