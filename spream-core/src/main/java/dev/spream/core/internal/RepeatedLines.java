package dev.spream.core.internal;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * The lines of a log that would come again and again: in a period the first of each kind is written, and the others are
 * counted. Safe for use by many threads.
 */
public final class RepeatedLines {
    private final MonotonicTime time;
    private final long period;
    private final Map<String, Counted> kinds = new HashMap<>(); // guarded by this

    public RepeatedLines(MonotonicTime time, Duration period) {
        this.time = time;
        this.period = period.toNanos();
    }

    /** Whether a line of that kind is to be written now; else it is counted. */
    public synchronized boolean pass(String kind) {
        Counted counted = kinds.get(kind);
        if (counted == null) {
            kinds.put(kind, new Counted(time.nanoTime()));
            return true;
        }
        counted.leftOut++;
        return false;
    }

    /**
     * How many lines were left out, by kind, of the periods that are over. They are forgotten: the next line of the kind is
     * written. To be asked from time to time.
     */
    public Map<String, Long> takeOver() {
        long now = time.nanoTime();
        return take(since -> now - since >= period);
    }

    /** The same of all periods. */
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
            if (counted.leftOut > 0) {
                taken.put(kind.getKey(), counted.leftOut);
            }
            return true;
        });
        return taken;
    }

    private static final class Counted {
        private final long since;
        private long leftOut;

        Counted(long since) {
            this.since = since;
        }
    }
}
