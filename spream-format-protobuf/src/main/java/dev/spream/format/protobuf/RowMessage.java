package dev.spream.format.protobuf;

import com.google.protobuf.CodedOutputStream;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.format.schema.RowContents;
import dev.spream.format.schema.RowForm;
import dev.spream.format.schema.RowForm.Use;
import dev.spream.format.schema.SchemaNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The message of a table's rows with certain columns: an optional field for each column, and one that marks a deleted row.
 * NULL is the absence of a field. Immutable.
 *
 * <p>The number of a field follows from the name and the type of its column alone, so that it is the same in every process,
 * whatever other columns come and go. The message always has the types of all arrays, since a registry does not let a type
 * disappear with the last column that has it.
 */
final class RowMessage {
    private static final int DELETED = 1;
    private static final String DELETED_NAME = "row_deleted";
    private static final Set<String> OF_IMPORTS = Set.of("google", "protobuf");

    private record Field(String column, boolean isKey, int number, FieldType type) {}

    private final MessageSchema schema;
    private final List<Field> fields; // by number
    private final long keys;
    private final boolean marksDeleted;

    private RowMessage(MessageSchema schema, List<Field> fields, boolean marksDeleted) {
        this.schema = schema;
        this.fields = fields;
        this.keys = fields.stream().filter(Field::isKey).count();
        this.marksDeleted = marksDeleted;
    }

    /** @throws NonRetryableException if two columns have the same field number */
    static RowMessage of(RowForm form) {
        boolean isKey = form.use() == Use.KEY;
        List<Field> fields = form.columns().stream()
                .filter(column -> !isKey || column.isPrimaryKey())
                .sorted(Comparator.comparingLong(ColumnType::ordinalPosition))
                .map(column -> field(column.name(), column.isPrimaryKey(), FieldType.of(column.type())))
                .toList();
        requireDifferentNumbers(form.table(), fields);
        String name = SchemaNames.fullName(form.table());
        String message = name.substring(name.lastIndexOf('.') + 1);
        String namespace = name.substring(0, name.length() - message.length());
        if (OF_IMPORTS.contains(message)) {
            message += "_"; // it would hide the package of the types that are imported
        }
        if (isKey) {
            message += "Key";
        }
        return new RowMessage(
                MessageSchema.ofFirst(namespace + message, text(namespace, message, fields, !isKey)),
                fields.stream().sorted(Comparator.comparingInt(Field::number)).toList(),
                !isKey);
    }

    private static Field field(String column, boolean isKey, FieldType type) {
        return new Field(column, isKey, FieldNumber.of(type.name(), column), type);
    }

    private static void requireDifferentNumbers(String table, List<Field> fields) {
        Map<Integer, String> columns = new HashMap<>();
        for (Field field : fields) {
            @Nullable String other = columns.put(field.number(), field.column());
            if (other != null) {
                throw new NonRetryableException(
                        ("the columns %s and %s of the table %s would have the same field number;"
                                        + " rename one of them, or set format.protobuf.shape=record")
                                .formatted(other, field.column(), table));
            }
        }
    }

    private static String text(String namespace, String message, List<Field> fields, boolean marksDeleted) {
        List<String> lines = new ArrayList<>();
        lines.add("syntax = \"proto3\";");
        if (!namespace.isEmpty()) {
            lines.add("package %s;".formatted(namespace.substring(0, namespace.length() - 1)));
        }
        if (marksDeleted
                || fields.stream().anyMatch(field -> field.type().name().equals(FieldType.TIMESTAMP))) {
            lines.add("import \"google/protobuf/timestamp.proto\";");
        }
        lines.add("message %s {".formatted(message));
        Set<String> names = new HashSet<>();
        if (marksDeleted) {
            lines.add("  bool %s = %d [json_name = \"__deleted\"];".formatted(DELETED_NAME, DELETED));
            names.add(likeness(DELETED_NAME));
            FieldType.ELEMENTS.forEach(type -> names.add(likeness(type.arrayName())));
        }
        for (Field field : fields) {
            lines.add("  optional %s %s = %d [json_name = %s];"
                    .formatted(
                            field.type().name(),
                            distinct(field.column(), names),
                            field.number(),
                            Json.text(field.column())));
        }
        if (marksDeleted) {
            FieldType.ELEMENTS.forEach(type -> lines.add("  " + type.arrayMessage()));
        }
        lines.add("}");
        return String.join("\n", lines) + "\n";
    }

    /** Returns the field's name, and adds it to the names, none of which may be like another. */
    private static String distinct(String column, Set<String> names) {
        String valid = SchemaNames.valid(column);
        String name = valid;
        for (int i = 2; !names.add(likeness(name)); i++) {
            name = valid + "_" + i;
        }
        return name;
    }

    /** Returns what Protobuf compares names by: it forbids those that are the same in the JSON of any of its versions. */
    private static String likeness(String name) {
        return name.replace("_", "").toLowerCase(Locale.ROOT);
    }

    MessageSchema schema() {
        return schema;
    }

    /**
     * Returns the row in binary encoding, its fields in the order of their numbers.
     *
     * @param values the values other than those of the key; empty for a deleted row
     * @throws NonRetryableException if a value is none of its column's type
     */
    byte[] bytes(DataChangeRecord change, Mod mod, JsonObject values) {
        RowContents.requireKey(change, mod, keys);
        return EncodedMessage.bytes(out -> {
            if (marksDeleted && RowContents.isDelete(change)) {
                out.writeBool(DELETED, true);
            }
            for (Field field : fields) {
                Object value = field.isKey() ? mod.keys().get(field.column()) : values.get(field.column());
                if (value != null) {
                    write(out, change, field, value);
                }
            }
        });
    }

    private static void write(CodedOutputStream out, DataChangeRecord change, Field field, Object value)
            throws IOException {
        try {
            field.type().writer().write(out, field.number(), value);
        } catch (RuntimeException e) { // its message may have the value
            throw RowContents.notOfType(change, field.column(), field.type().name());
        }
    }
}
