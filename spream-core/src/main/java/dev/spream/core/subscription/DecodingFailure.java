package dev.spream.core.subscription;

/** What to do with a row of the change stream that cannot be decoded. */
public enum DecodingFailure {
    /** Stop with an exception that says which partition returned it. Nothing is passed over. The default. */
    STOP,

    /**
     * Hand a row that holds a data change, and nothing else, to the {@linkplain
     * dev.spream.core.consume.DeadLetterSink dead letter sink} as it came, and continue behind it. Its keys may not be known,
     * so later changes of them are delivered. A row that may name child partitions stops the subscription all the same:
     * passing it over could lose them.
     */
    DEAD_LETTER
}
