package dev.spream.sinks;

import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.record.RecordIdentity;
import java.time.Instant;
import java.util.Set;

/** A line of a dead letter file. The lines in their order determine the contents of the file. */
sealed interface DeadLetterLine {

    /** A change was dead-lettered. */
    record Kept(StoredDeadLetter letter) implements DeadLetterLine {}

    /** The consumer accepted the change of an open letter. */
    record Replayed(RecordIdentity identity, Instant at) implements DeadLetterLine {}

    /** An open dead letter was discarded. */
    record Discarded(RecordIdentity identity, Instant at) implements DeadLetterLine {}

    /** Open letters of these keys that failed were overtaken by a later change. */
    record Overtaken(Set<RecordKey> keys, RecordIdentity by, Instant at) implements DeadLetterLine {}

    /** Keys are no longer parked. */
    record Released(Set<RecordKey> keys, Instant at) implements DeadLetterLine {}
}
