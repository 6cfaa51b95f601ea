package dev.spream.format.protobuf;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.format.schema.RowContents;
import dev.spream.format.schema.RowForm;
import dev.spream.format.schema.RowForm.Use;
import dev.spream.format.schema.RowSchemas;
import java.util.Optional;

/**
 * Rows after their change. A deleted row is its key and {@code row_deleted}. The columns are those of the change, so that a
 * new column is in the first row that has it.
 */
final class RowShape implements MessageShape {
    private final RowSchemas<RowMessage> schemas = new RowSchemas<>(RowMessage::of);

    @Override
    public boolean hasTombstones() {
        return true;
    }

    @Override
    public byte[] key(DataChangeRecord change, MessageFraming framing, Optional<String> topic) {
        RowMessage schema = schemas.of(RowForm.of(Use.KEY, change));
        byte[] bytes = schema.bytes(change, change.mods().getFirst(), JsonObject.EMPTY);
        return framing.framed(new EncodedMessage(schema.schema(), bytes), topic.map("%s-key"::formatted));
    }

    @Override
    public EncodedMessage message(DataChangeRecord change) {
        RowMessage schema = schemas.of(RowForm.of(Use.MESSAGE, change));
        Mod mod = change.mods().getFirst();
        JsonObject values = RowContents.valuesAfter(change, mod, "protobuf");
        return new EncodedMessage(schema.schema(), schema.bytes(change, mod, values));
    }
}
