package dev.spream.format.protobuf;

import dev.spream.core.record.DataChangeRecord;
import java.util.Optional;

/** The contents of messages in one shape. Safe for use by many threads. */
interface MessageShape {

    /** Returns whether a deleted row has no value in a sink whose messages have keys. */
    boolean hasTombstones();

    /** Returns the key of a change with one row. */
    byte[] key(DataChangeRecord change, MessageFraming framing, Optional<String> topic);

    /** Returns the value of a change with one row. */
    EncodedMessage message(DataChangeRecord change);
}
