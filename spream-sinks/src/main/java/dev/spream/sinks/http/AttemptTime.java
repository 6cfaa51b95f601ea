package dev.spream.sinks.http;

import java.time.Duration;

/** How long a call may take. */
final class AttemptTime {
    private static final Duration MARGIN = Duration.ofMillis(100);
    private static final int LEAST_PART = 10;

    private AttemptTime() {}

    /**
     * A moment less than the attempt has, a tenth at most: whoever interrupts it then does not know whether anything left, which
     * the sender does.
     */
    static Duration within(Duration attempt) {
        Duration tenth = attempt.dividedBy(LEAST_PART);
        return attempt.minus(tenth.compareTo(MARGIN) < 0 ? tenth : MARGIN);
    }
}
