package dev.spream.api.format;

import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/**
 * Writes changed rows as bytes. The bytes depend on the row alone, except for the {@code ts_ms} of Debezium's envelope: a
 * change that is delivered again is written in the same way. The columns are those of the change itself, so that a new
 * column is in the first message of a row that has it.
 *
 * <p>Safe for use by many threads. A row that the format cannot express makes any method throw {@link
 * dev.spream.api.spi.NonRetryableException}; its message does not contain the row's values.
 */
public interface ChangeFormat {

    /** The message of a deleted row, in a sink whose messages have a key and a value that may be null. */
    enum Deletion {
        /** The value. */
        VALUE,
        /** A message with the key and without a value, which removes the key from a compacted topic. */
        TOMBSTONE,
        /** The value, and after it a message with the key and without a value. */
        VALUE_THEN_TOMBSTONE
    }

    /** Returns the content type of values, such as {@code application/json}. */
    String contentType();

    /** Returns whether values are text in UTF-8 without line breaks. */
    boolean isText();

    /** Returns the text with which every value begins, by which a file of other contents is recognised. */
    String beginning();

    /** Returns the message of deleted rows. A sink without keys always sends the value. */
    Deletion deletion();

    /** Returns the key of the row, equal for the same row of a table and different for others. */
    byte[] key(ChangedRow row);

    /** Returns the value, also for a deleted row. */
    byte[] value(ChangedRow row);

    /** Returns the key for a message on a topic; a format with schemas in a registry has them there by topic. */
    default byte[] key(ChangedRow row, Optional<String> topic) {
        return key(row);
    }

    /** Returns the value for a message on a topic. */
    default byte[] value(ChangedRow row, Optional<String> topic) {
        return value(row);
    }

    /** Returns further properties of the message, for sinks whose messages have headers or attributes. */
    default Map<String, String> headers(ChangedRow row) {
        return Map.of();
    }

    /** Returns the format {@code record}: the documentation's {@code data_change_record}, with the one row in its mods. */
    static ChangeFormat record() {
        return new RecordFormat();
    }

    /**
     * Returns the format {@code after}: the row after the change, as JSON with its columns as members.
     *
     * @param partialRows whether rows are written of which the change stream captured only the modified columns; otherwise
     *     they are refused
     */
    static ChangeFormat after(boolean partialRows) {
        return new AfterFormat(partialRows);
    }

    /**
     * Returns the format {@code debezium}: the messages of Debezium's connector for Spanner, in the JSON of Kafka
     * Connect's converter.
     *
     * @param stream the change stream, for the source block
     * @param name the name of the connector, for the source block and the names of schemas
     * @param schemas whether each message contains its schema, as with {@code schemas.enable=true}
     * @param clock for the time at which a message was written
     */
    static ChangeFormat debezium(QualifiedStreamName stream, String name, boolean schemas, InstantSource clock) {
        return new DebeziumFormat(new DebeziumSource(stream, name), schemas, clock);
    }

    /** Returns the format {@code cloudevents}: an event of CloudEvents 1.0, in structured mode, with a record as data. */
    static ChangeFormat cloudEvents(QualifiedStreamName stream) {
        return new CloudEventsFormat(stream);
    }
}
