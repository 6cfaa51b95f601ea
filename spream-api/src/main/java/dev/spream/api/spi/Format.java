package dev.spream.api.spi;

import java.util.Optional;

/**
 * A format of changes as bytes, which a plug-in adds to those of spream. Safe for use by many threads.
 *
 * <p>A change that it cannot express makes methods throw {@link NonRetryableException}; any other exception is retried.
 * Messages of exceptions do not contain the values of rows.
 */
public interface Format {

    /** Returns the format of single rows as messages; empty if it has none. */
    Optional<MessageFormat> messages();

    /**
     * Returns the format of whole files; empty if it has none.
     *
     * @param compression {@code none}, {@code deflate} or {@code zstandard}
     * @throws IllegalArgumentException if it has no such compression, or lacks a library; the message is for users
     */
    Optional<FileFormat> files(String compression);
}
