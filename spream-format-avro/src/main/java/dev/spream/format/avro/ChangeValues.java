package dev.spream.format.avro;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.api.spi.EncodedChange;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.DataChangeRecord;
import java.util.List;
import java.util.Optional;

/** Whole changes, with their rows as JSON inside. The key of a message is the primary key as JSON. */
record ChangeValues(TemplateRecord template) implements ValueShape {

    @Override
    public boolean hasTombstones() {
        return false;
    }

    @Override
    public byte[] key(DataChangeRecord change, Framing framing, Optional<String> topic) {
        return new RecordKey(change.tableName(), change.mods().getFirst().keys())
                .canonicalKey()
                .getBytes(UTF_8);
    }

    @Override
    public Datum message(DataChangeRecord change, Delivery delivery) {
        return new Datum(TemplateRecord.SCHEMA, template.bytes(change, delivery));
    }

    @Override
    public EncodedChange inFile(DataChangeRecord change, Delivery delivery) {
        return new EncodedChange("", TemplateRecord.SCHEMA.text(), List.of(template.bytes(change, delivery)));
    }
}
