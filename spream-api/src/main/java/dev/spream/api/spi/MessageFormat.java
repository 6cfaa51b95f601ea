package dev.spream.api.spi;

import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.util.Optional;

/**
 * Writes rows as the keys and values of messages. Each change that it gets has one row. The bytes depend on the change,
 * its partition and the topic alone. Safe for use by many threads; see {@link Format} for failures.
 */
public interface MessageFormat {

    /** Returns the content type of values. */
    String contentType();

    /** Returns whether a deleted row has no value in a sink whose messages have keys; otherwise the value is sent. */
    boolean hasTombstones();

    /**
     * Returns the key of the row, equal for the same row of a table and different for others.
     *
     * @param topic the topic of the message; empty in a sink without topics
     */
    byte[] key(DataChangeRecord change, Optional<String> topic);

    /** Returns the value, also for a deleted row. */
    byte[] value(DataChangeRecord change, Delivery delivery, Optional<String> topic);
}
