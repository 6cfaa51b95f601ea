package dev.spream.core.serialization;

/**
 * Writes values as JSON text, and reads them. Safe for use by many threads.
 *
 * <p>The messages of its exceptions name classes and members, but contain no values, which may be confidential; so they
 * have no cause whose message does.
 */
public interface JsonSerializer {

    /**
     * Returns the value as one JSON value.
     *
     * @throws SerializationException if it cannot be written
     */
    String write(Object value);

    /**
     * Returns the value that the text holds.
     *
     * @throws SerializationException if the text is not JSON, or not a value of the class
     */
    <T> T read(String json, Class<T> type);
}
