package dev.spream.emulator.internal.stream;

import java.time.Instant;
import java.util.function.Function;

/**
 * The clock of a database: it orders commits and changes of partitions, and returns times with guarantees about earlier
 * and later ones. Safe for use by many threads.
 */
public abstract sealed class StreamClock permits CommitClock, FollowedClock {
    private final ClockMode pace;

    StreamClock(ClockMode pace) {
        this.pace = pace;
    }

    /**
     * Changes partitions, or the stream itself: every commit so far is earlier than the given time, and no later commit
     * is.
     */
    abstract <T> T cut(Function<Instant, T> change);

    /**
     * Returns a time up to which everything is committed: later commits and changes of partitions get later timestamps.
     */
    public abstract Instant now();

    /**
     * Returns a time as {@link #now} does, which may be an earlier one if it is not before {@code wanted}.
     */
    Instant settled(Instant wanted) {
        return now();
    }

    /** Returns the time of the database, which is never behind its commits, without a guarantee about later ones. */
    public abstract Instant time();

    /** Returns the ticks for work that recurs as time passes; the caller closes them. */
    public final ClockTicks ticks() {
        return new ClockTicks(pace);
    }

    final ClockMode pace() {
        return pace;
    }

    static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }
}
