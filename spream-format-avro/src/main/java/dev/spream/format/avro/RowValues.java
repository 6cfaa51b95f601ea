package dev.spream.format.avro;

import dev.spream.api.spi.EncodedChange;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.format.avro.AvroFormatProvider.Timestamps;
import dev.spream.format.schema.RowContents;
import dev.spream.format.schema.RowForm;
import dev.spream.format.schema.RowForm.Use;
import dev.spream.format.schema.RowSchemas;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Rows after their change. A deleted row is its key, with nulls for the other columns and {@code __deleted}. The columns
 * are those of the change, so that a new column is in the first row that has it.
 */
final class RowValues implements ValueShape {
    private final RowSchemas<RowSchema> schemas;
    private final Map<String, RowSchema> whole = new ConcurrentHashMap<>(); // the last one of each table, in files

    RowValues(Timestamps timestamps) {
        this.schemas = new RowSchemas<>(form -> RowSchema.of(form, timestamps));
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
        RowForm form = RowForm.of(Use.FILE, change);
        if (!RowContents.isDelete(change)) {
            RowSchema schema = schemas.of(form);
            whole.put(change.tableName(), schema);
            return schema;
        }
        @Nullable RowSchema last = whole.get(change.tableName());
        return last != null && last.covers(form) ? last : schemas.of(form);
    }

    private RowSchema schema(Use use, DataChangeRecord change) {
        return schemas.of(RowForm.of(use, change));
    }

    private static JsonObject valuesOf(DataChangeRecord change, Mod mod) {
        return RowContents.valuesAfter(change, mod, "avro");
    }
}
