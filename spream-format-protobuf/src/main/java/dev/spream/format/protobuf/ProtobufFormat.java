package dev.spream.format.protobuf;

import dev.spream.api.spi.FileFormat;
import dev.spream.api.spi.Format;
import dev.spream.api.spi.MessageFormat;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.util.Optional;

/** Protobuf in messages. Safe for use by many threads. */
record ProtobufFormat(MessageShape values, MessageFraming framing) implements Format, MessageFormat {

    @Override
    public Optional<MessageFormat> messages() {
        return Optional.of(this);
    }

    @Override
    public Optional<FileFormat> files(String compression) {
        return Optional.empty();
    }

    @Override
    public String contentType() {
        return "application/protobuf";
    }

    @Override
    public boolean hasTombstones() {
        return values.hasTombstones();
    }

    @Override
    public byte[] key(DataChangeRecord change, Optional<String> topic) {
        return values.key(change, framing, topic);
    }

    @Override
    public byte[] value(DataChangeRecord change, Delivery delivery, Optional<String> topic) {
        return framing.framed(values.message(change), topic.map("%s-value"::formatted));
    }
}
