package dev.spream.format.protobuf;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.DataChangeRecord;
import java.util.Optional;

/** Whole changes. The key of a message is the primary key as JSON. */
record ChangeShape(DataChangeMessage messages) implements MessageShape {

    @Override
    public boolean hasTombstones() {
        return false;
    }

    @Override
    public byte[] key(DataChangeRecord change, MessageFraming framing, Optional<String> topic) {
        return new RecordKey(change.tableName(), change.mods().getFirst().keys())
                .canonicalKey()
                .getBytes(UTF_8);
    }

    @Override
    public EncodedMessage message(DataChangeRecord change) {
        return new EncodedMessage(DataChangeMessage.SCHEMA, messages.bytes(change));
    }
}
