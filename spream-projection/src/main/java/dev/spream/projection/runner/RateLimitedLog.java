package dev.spream.projection.runner;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.RepeatedLines;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Lines of one kind in the log: ten a minute, and how many more there were when the minute is over. Safe for use by many threads.
 */
final class RateLimitedLog {
    private static final int MOST = 10;
    private static final Duration WINDOW = Duration.ofMinutes(1);

    private final Logger log;
    private final String projection;
    private final Level level;
    private final String rest;
    private final RepeatedLines lines;

    /** @param rest what is said of those that were left out, after their number and "more" */
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

    /** Says how many were left out in a minute that is over. To be called now and then. */
    void summarize() {
        summarize(lines.takeOver());
    }

    /** Says how many were left out since. */
    void end() {
        summarize(lines.takeAll());
    }

    private void summarize(Map<String, Long> leftOut) {
        leftOut.forEach((what, count) -> log.atLevel(level).log("[{}] {} more {}", projection, count, what));
    }
}
