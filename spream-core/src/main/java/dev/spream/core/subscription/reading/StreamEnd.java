package dev.spream.core.subscription.reading;

import dev.spream.core.source.SourceException;

/** The end of one query of a partition. Its records were passed to the {@link QueryRunner.Taker}. */
public sealed interface StreamEnd {

    /** The server ended the stream with OK. */
    record Ok() implements StreamEnd {}

    /** The stream ended in any other way. */
    record Broken(SourceException cause) implements StreamEnd {}

    /** The reader was stopped, or lost its lease. */
    record Stopped() implements StreamEnd {}
}
