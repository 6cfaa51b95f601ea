package dev.spream.api.filter;

import dev.spream.core.consume.Consumer;

/** A consumer behind a {@link ChangeFilter}. As safe for use by many threads as the one behind it. */
@SuppressWarnings("try") // what closing throws is up to the consumer behind it
public sealed interface FilteredConsumer extends Consumer, AutoCloseable permits FilteredChanges {

    /** How many changes were left out so far; one that came again counts again. */
    long filtered();

    /** Closes the consumer behind the filter, if it is {@link AutoCloseable}. */
    @Override
    void close() throws Exception;
}
