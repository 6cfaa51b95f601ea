package dev.spream.projection.runner;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.RepeatedLines;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * A log for lines of one kind: at most ten a minute, and the number of omitted ones when the minute is over. Safe for
 * use by many threads.
 */
final class RateLimitedLog {
    private static final int MOST = 10;
    private static final Duration WINDOW = Duration.ofMinutes(1);

    private final Logger log;
    private final String projection;
    private final Level level;
    private final String rest;
    private final RepeatedLines lines;

    /** @param rest the text about omitted lines, after their number and "more" */
    RateLimitedLog(Logger log, String projection, MonotonicTime time, Level level, String rest) {
        this.log = log;
        this.projection = projection;
        this.level = level;
        this.rest = rest;
        this.lines = new RepeatedLines(time, WINDOW, MOST);
    }

    void say(String message, Object... arguments) {
        summarize();
        if (lines.pass(rest)) {
            Object[] all = new Object[arguments.length + 1];
            all[0] = projection;
            System.arraycopy(arguments, 0, all, 1, arguments.length);
            log.atLevel(level).log("[{}] " + message, all);
        }
    }

    /** Logs the number of lines omitted in the last full minute. Called periodically. */
    void summarize() {
        summarize(lines.takeOver());
    }

    /** Logs the number of omitted lines. */
    void end() {
        summarize(lines.takeAll());
    }

    private void summarize(Map<String, Long> leftOut) {
        leftOut.forEach((what, count) -> log.atLevel(level).log("[{}] {} more {}", projection, count, what));
    }
}
