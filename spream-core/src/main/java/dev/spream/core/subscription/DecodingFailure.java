package dev.spream.core.subscription;

/** The treatment of a row of the change stream that cannot be decoded. */
public enum DecodingFailure {
    /** Stop with an exception that names the partition. No change is skipped. The default. */
    STOP,

    /**
     * Hand a row that holds a data change, and nothing else, to the {@linkplain
     * dev.spream.core.consume.DeadLetterSink dead letter sink} as received, and continue after it. Its keys may not
     * be known, so later changes of them are delivered. A row that may name child partitions stops the subscription
     * all the same: skipping it could lose them.
     *
     * <p>A change of which only the primary keys cannot be read is dead-lettered likewise if the ordering needs them.
     * With other orderings it is delivered, and dead-lettered if the consumer fails on it, at the first attempt: the
     * error handler is not called.
     */
    DEAD_LETTER
}
