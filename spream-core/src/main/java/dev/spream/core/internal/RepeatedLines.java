package dev.spream.core.internal;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * A rate limit for repeated log lines: in a period the first ones of each kind are written, and the others are
 * counted. Safe for use by many threads.
 */
public final class RepeatedLines {
    private final MonotonicTime time;
    private final long period;
    private final int most;
    private final Map<String, Counted> kinds = new HashMap<>(); // guarded by this

    /** @param most the maximum number of lines of a kind that are written in a period */
    public RepeatedLines(MonotonicTime time, Duration period, int most) {
        this.time = time;
        this.period = period.toNanos();
        this.most = most;
    }

    /** Returns whether to write a line of that kind now; otherwise it is counted. */
    public synchronized boolean pass(String kind) {
        Counted counted = kinds.computeIfAbsent(kind, first -> new Counted(time.nanoTime()));
        counted.lines++;
        return counted.lines <= most;
    }

    /**
     * Returns the number of omitted lines of each kind whose period is over, and resets it: the next line of the kind
     * is written. Called periodically.
     */
    public Map<String, Long> takeOver() {
        long now = time.nanoTime();
        return take(since -> now - since >= period);
    }

    /** Returns the numbers of omitted lines of all kinds, and resets them. */
    public Map<String, Long> takeAll() {
        return take(since -> true);
    }

    private synchronized Map<String, Long> take(LongPredicate over) {
        Map<String, Long> taken = new HashMap<>();
        kinds.entrySet().removeIf(kind -> {
            Counted counted = kind.getValue();
            if (!over.test(counted.since)) {
                return false;
            }
            if (counted.lines > most) {
                taken.put(kind.getKey(), counted.lines - most);
            }
            return true;
        });
        return taken;
    }

    private static final class Counted {
        private final long since;
        private long lines;

        Counted(long since) {
            this.since = since;
        }
    }
}
