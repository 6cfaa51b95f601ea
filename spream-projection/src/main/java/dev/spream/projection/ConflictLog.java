package dev.spream.projection;

import dev.spream.core.internal.MonotonicTime;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Says in the log that batches are repeated because of conflicts, ten times a minute at most. Safe for use by many threads. */
final class ConflictLog {
    private static final Logger log = LoggerFactory.getLogger(ConflictLog.class);

    private final LimitedLines repeated;

    ConflictLog(String projection, MonotonicTime time) {
        this.repeated = new LimitedLines(
                log, projection, time, Level.WARN, "batches were rolled back because of a conflict, and repeated");
    }

    /**
     * A batch is about to be repeated.
     *
     * @param where the batch is from, for people
     * @param conflicts how many in a row
     */
    void repeated(String where, int events, int conflicts, Duration pause, String error) {
        repeated.say(
                "a batch of {} events of {} was in conflict with another transaction, {} in a row, and was rolled back: {}; all of it is repeated after {} ms, and no aggregate is parked. If this happens often, fold the rows that several aggregates share by their own key, see FoldableProjection.key",
                events,
                where,
                conflicts,
                error,
                pause.toMillis());
    }

    void summarize() {
        repeated.summarize();
    }

    void end() {
        repeated.end();
    }
}
