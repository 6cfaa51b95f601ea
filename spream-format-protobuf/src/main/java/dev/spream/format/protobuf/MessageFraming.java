package dev.spream.format.protobuf;

import java.util.Optional;

/** The bytes that a receiver gets of a message. Safe for use by many threads. */
interface MessageFraming {

    /**
     * Returns the message behind the identification of its schema, if there is one.
     *
     * @param subject the schema's name in a registry; empty where there is no topic to name it after
     */
    byte[] framed(EncodedMessage message, Optional<String> subject);
}
