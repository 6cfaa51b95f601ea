package dev.spream.core.subscription;

/** The treatment of a row of the change stream that cannot be decoded. */
public enum DecodingFailure {
    /** Stop with an exception that says which partition returned it. Nothing is passed over. The default. */
    STOP,

    /**
     * Hand a row that holds a data change, and nothing else, to the {@linkplain
     * dev.spream.core.consume.DeadLetterSink dead letter sink} as it came, and continue behind it. Its keys may not be known,
     * so later changes of them are delivered. A row that may name child partitions stops the subscription all the same:
     * passing it over could lose them.
     *
     * <p>A change of which only the primary keys cannot be read is kept so where the order needs them. In other orders it is
     * delivered, and kept if the consumer fails on it, at the first attempt: the error handler is not asked.
     */
    DEAD_LETTER
}
