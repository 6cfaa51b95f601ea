package dev.spream.emulator.internal.stream;

import static java.time.temporal.ChronoUnit.MICROS;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Gives every commit of a database its timestamp, and everybody else times that they can rely on. Safe for use by many
 * threads.
 *
 * <p>As in Spanner, a commit that began after another one returned has a later timestamp, while commits that overlap in
 * time and write different rows may share one.
 */
public final class CommitClock {
    private static final int ONE_IN = 3;
    private static final long NEVER_OVERLAPS = Long.MAX_VALUE;

    private final ClockMode time;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by lock, except that finished is read without it.
    private final Random random;
    private Instant lastCommit = Instant.EPOCH;
    private Instant promised = Instant.EPOCH;
    private Instant lastCut = Instant.EPOCH;
    private final Set<Object> rowsAtLastCommit = new HashSet<>();
    private long firstTurnAtLastCommit;
    private volatile long finished;

    /** A clock that follows {@code time}; the seed decides which of the commits that may share a timestamp do. */
    public CommitClock(InstantSource time, long seed) {
        this.time = new ClockMode(time);
        this.random = new Random(seed);
    }

    /** The moment at which a commit begins, for {@link #commit}: what returns later overlaps with it. */
    public long begin() {
        return finished;
    }

    /** In place of {@link #begin} for a transaction that has read: its timestamp must be later than what it saw. */
    public static long afterReading() {
        return NEVER_OVERLAPS;
    }

    /** Publishes a commit that begins now and shares no row with others. */
    public <T> T commit(Function<Instant, T> publish) {
        return commit(begin(), Set.of(), publish);
    }

    /**
     * Publishes a commit: nothing else is committed, and no partition changes, while {@code publish} runs. Its timestamp,
     * in microseconds, is later than all that {@link #now} returned and not earlier than the last commit's.
     *
     * @param begun what {@link #begin} returned when the commit began
     * @param rows what identifies the rows it writes
     */
    public <T> T commit(long begun, Set<?> rows, Function<Instant, T> publish) {
        lock.lock();
        try {
            return publish.apply(timestampFor(begun, rows));
        } finally {
            finish();
        }
    }

    private void finish() {
        finished = turn();
        lock.unlock();
    }

    private long turn() {
        return finished + 1;
    }

    private Instant timestampFor(long begun, Set<?> rows) {
        boolean overlaps = begun < firstTurnAtLastCommit;
        boolean open = lastCommit.isAfter(promised) && !lastCommit.isBefore(lastCut);
        if (overlaps && open && Collections.disjoint(rowsAtLastCommit, rows) && random.nextInt(ONE_IN) == 0) {
            rowsAtLastCommit.addAll(rows);
            return lastCommit;
        }
        lastCommit = later(later(next(lastCommit), next(promised)), later(lastCut, ceiling(time.instant())));
        firstTurnAtLastCommit = turn();
        rowsAtLastCommit.clear();
        rowsAtLastCommit.addAll(rows);
        return lastCommit;
    }

    /**
     * Changes partitions, or the stream itself: every commit so far is earlier than the given time, every later commit is
     * not.
     */
    <T> T cut(Function<Instant, T> change) {
        lock.lock();
        try {
            lastCut = later(later(next(lastCommit), next(promised)), later(next(lastCut), ceiling(time.instant())));
            return change.apply(lastCut);
        } finally {
            lock.unlock();
        }
    }

    /** A time up to which everything is committed: later commits and changes of partitions get later timestamps. */
    public Instant now() {
        lock.lock();
        try {
            promised = later(promised, time.instant().truncatedTo(MICROS));
            promised = later(promised, later(lastCommit, lastCut));
            return promised;
        } finally {
            lock.unlock();
        }
    }

    /** The time of the database, which is never behind its commits, and promises nothing about later ones. */
    Instant time() {
        lock.lock();
        try {
            return later(later(lastCommit, lastCut), later(promised, time.instant()));
        } finally {
            lock.unlock();
        }
    }

    ClockMode pace() {
        return time;
    }

    /** How many threads wait for their turn, for tests that need commits to overlap. */
    int waiting() {
        return lock.getQueueLength();
    }

    private static Instant next(Instant instant) {
        return instant.plus(1, MICROS);
    }

    private static Instant ceiling(Instant instant) {
        Instant truncated = instant.truncatedTo(MICROS);
        return truncated.equals(instant) ? instant : next(truncated);
    }

    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }
}
