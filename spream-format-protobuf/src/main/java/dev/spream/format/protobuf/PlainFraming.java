package dev.spream.format.protobuf;

import dev.spream.format.schema.SchemaLog;
import java.util.Optional;

/** The message alone. The log shows the {@code .proto} file of each message once. */
record PlainFraming(SchemaLog log) implements MessageFraming {

    @Override
    public byte[] framed(EncodedMessage message, Optional<String> subject) {
        log.show("the name " + message.schema().name(), message.schema().text());
        return message.bytes();
    }
}
