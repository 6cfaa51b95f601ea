package dev.spream.format.avro;

import dev.spream.api.spi.EncodedChange;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.format.avro.AvroFormatProvider.Timestamps;
import dev.spream.format.avro.RowSchema.Form;
import dev.spream.format.avro.RowSchema.Use;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rows after their change. A deleted row is its key, with nulls for the other columns and {@code __deleted}. The columns
 * are those of the change, so that a new column is in the first row that has it.
 */
final class RowValues implements ValueShape {
    private static final int MAX_SCHEMAS = 1_000;

    private final Timestamps timestamps;
    private final Map<Form, RowSchema> schemas = new ConcurrentHashMap<>();
    private final Map<String, RowSchema> whole = new ConcurrentHashMap<>(); // the last one of each table, in files

    RowValues(Timestamps timestamps) {
        this.timestamps = timestamps;
    }

    static boolean isDelete(DataChangeRecord change) {
        return change.modType() == ModType.DELETE;
    }

    @Override
    public boolean hasTombstones() {
        return true;
    }

    @Override
    public byte[] key(DataChangeRecord change, Framing framing, Optional<String> topic) {
        RowSchema schema = schema(Use.KEY, change);
        Mod mod = change.mods().getFirst();
        return framing.framed(
                new Datum(schema.schema(), schema.bytes(change, mod, JsonObject.EMPTY)),
                topic.map("%s-key"::formatted));
    }

    @Override
    public Datum message(DataChangeRecord change, Delivery delivery) {
        RowSchema schema = schema(Use.MESSAGE, change);
        Mod mod = change.mods().getFirst();
        return new Datum(schema.schema(), schema.bytes(change, mod, valuesOf(change, mod)));
    }

    @Override
    public EncodedChange inFile(DataChangeRecord change, Delivery delivery) {
        RowSchema schema = fileSchema(change);
        List<byte[]> rows = change.mods().stream()
                .map(mod -> schema.bytes(change, mod, valuesOf(change, mod)))
                .toList();
        return new EncodedChange(change.tableName(), schema.schema().text(), rows);
    }

    /** Returns the schema of the change; of a deletion, which has few columns, that of the last whole row if it fits. */
    private RowSchema fileSchema(DataChangeRecord change) {
        Form form = form(Use.FILE, change);
        if (!isDelete(change)) {
            RowSchema schema = schema(form);
            whole.put(change.tableName(), schema);
            return schema;
        }
        @Nullable RowSchema last = whole.get(change.tableName());
        return last != null && last.covers(form) ? last : schema(form);
    }

    private RowSchema schema(Use use, DataChangeRecord change) {
        return schema(form(use, change));
    }

    private RowSchema schema(Form form) {
        @Nullable RowSchema known = schemas.get(form);
        if (known == null) {
            known = RowSchema.of(form, timestamps);
            if (schemas.size() >= MAX_SCHEMAS) {
                schemas.clear();
            }
            schemas.put(form, known);
        }
        return known;
    }

    private static Form form(Use use, DataChangeRecord change) {
        Set<String> nullKeys = change.columnTypes().stream()
                .filter(ColumnType::isPrimaryKey)
                .map(ColumnType::name)
                .filter(name ->
                        change.mods().stream().anyMatch(mod -> mod.keys().get(name) == null))
                .collect(Collectors.toUnmodifiableSet());
        return new Form(use, change.tableName(), change.columnTypes(), nullKeys);
    }

    private static JsonObject valuesOf(DataChangeRecord change, Mod mod) {
        switch (change.modType()) {
            case INSERT -> {
                return mod.newValues();
            }
            case UPDATE -> {
                requireWhole(change);
                return mod.newValues();
            }
            case DELETE -> {
                return JsonObject.EMPTY;
            }
            case UNKNOWN -> {}
        }
        throw new NonRetryableException(
                "the change %s is of the unknown kind %s, so it is not known whether its rows exist after it"
                        .formatted(change.identity(), change.modTypeName()));
    }

    /** Refuses an UPDATE that was captured in part: absent columns would be null. */
    private static void requireWhole(DataChangeRecord change) {
        ValueCaptureType captured = change.valueCaptureType();
        if (captured != ValueCaptureType.NEW_ROW && captured != ValueCaptureType.NEW_ROW_AND_OLD_VALUES) {
            throw new NonRetryableException(
                    ("the change %s was captured as %s, which has the modified columns only, and not the row after the change."
                                    + " Set value_capture_type = 'NEW_ROW' on the change stream for later changes, or"
                                    + " format.avro.shape=record")
                            .formatted(change.identity(), change.valueCaptureTypeName()));
        }
    }
}
