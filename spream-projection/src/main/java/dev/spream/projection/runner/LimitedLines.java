package dev.spream.projection.runner;

import dev.spream.core.internal.MonotonicTime;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.event.Level;

/**
 * Lines of one kind in the log: ten a minute, and how many more there were when the minute is over. Safe for use by many threads.
 */
final class LimitedLines {
    private static final int MOST = 10;
    private static final long WINDOW = TimeUnit.MINUTES.toNanos(1);

    private final Logger log;
    private final String projection;
    private final MonotonicTime time;
    private final Level level;
    private final String rest;

    // Guarded by this.
    private long since;
    private int said;
    private long leftOut;

    /**
     * Lines of a projection.
     *
     * @param rest what is said of those that were left out, after their number and "more"
     */
    LimitedLines(Logger log, String projection, MonotonicTime time, Level level, String rest) {
        this.log = log;
        this.projection = projection;
        this.time = time;
        this.level = level;
        this.rest = rest;
    }

    void say(String message, Object... arguments) {
        summarize();
        if (take()) {
            Object[] all = new Object[arguments.length + 1];
            all[0] = projection;
            System.arraycopy(arguments, 0, all, 1, arguments.length);
            log.atLevel(level).log("[{}] " + message, all);
        }
    }

    /** Whether another line may be said in this minute. */
    private synchronized boolean take() {
        long now = time.nanoTime();
        if (said == 0 || now - since >= WINDOW) {
            since = now;
            said = 0;
        }
        if (said == MOST) {
            leftOut++;
            return false;
        }
        said++;
        return true;
    }

    /** Says how many were left out in a minute that is over. To be called now and then. */
    void summarize() {
        summarize(WINDOW);
    }

    /** Says how many were left out since. */
    void end() {
        summarize(0);
    }

    private void summarize(long age) {
        long count = takeLeftOut(age);
        if (count > 0) {
            log.atLevel(level).log("[{}] {} more {}", projection, count, rest);
        }
    }

    private synchronized long takeLeftOut(long age) {
        if (leftOut == 0 || time.nanoTime() - since < age) {
            return 0;
        }
        long count = leftOut;
        leftOut = 0;
        return count;
    }
}
