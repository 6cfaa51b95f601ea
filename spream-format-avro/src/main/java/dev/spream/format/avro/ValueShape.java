package dev.spream.format.avro;

import dev.spream.api.spi.EncodedChange;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.util.Optional;

/** The contents of messages and files in one shape. Safe for use by many threads. */
interface ValueShape {

    /** Returns whether a deleted row has no value in a sink whose messages have keys. */
    boolean hasTombstones();

    /** Returns the key of a change with one row. */
    byte[] key(DataChangeRecord change, Framing framing, Optional<String> topic);

    /** Returns the value of a change with one row. */
    Datum message(DataChangeRecord change, Delivery delivery);

    /** Returns a change as it waits for its file. */
    EncodedChange inFile(DataChangeRecord change, Delivery delivery);
}
