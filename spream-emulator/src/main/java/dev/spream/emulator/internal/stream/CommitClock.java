package dev.spream.emulator.internal.stream;

import static java.time.temporal.ChronoUnit.MICROS;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Gives every commit of a database its timestamp, and everybody else times that they can rely on. Safe for use by many
 * threads.
 *
 * <p>As in Spanner, a commit that began after another one returned has a later timestamp, while commits that overlap in
 * time may share one. Writers hold their row locks when they call {@link #commit}, so those that share a timestamp touch
 * different rows.
 */
public final class CommitClock {
    private static final int ONE_IN = 3;

    private final InstantSource time;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by lock, except that finished is read without it.
    private final Random random;
    private Instant lastCommit = Instant.EPOCH;
    private Instant promised = Instant.EPOCH;
    private Instant lastCut = Instant.EPOCH;
    private long firstTurnAtLastCommit;
    private volatile long finished;

    /** A clock that follows {@code time}; the seed decides which of the commits that may share a timestamp do. */
    public CommitClock(InstantSource time, long seed) {
        this.time = time;
        this.random = new Random(seed);
    }

    /**
     * Publishes a commit: nothing else is committed, and no partition changes, while {@code publish} runs. Its timestamp,
     * in microseconds, is later than all that {@link #now} returned and not earlier than the last commit's.
     */
    public <T> T commit(Function<Instant, T> publish) {
        long finishedBefore = finished;
        lock.lock();
        try {
            return publish.apply(timestampFor(finishedBefore));
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

    private Instant timestampFor(long finishedBefore) {
        boolean overlaps = finishedBefore < firstTurnAtLastCommit;
        boolean open = lastCommit.isAfter(promised) && !lastCommit.isBefore(lastCut);
        if (overlaps && open && random.nextInt(ONE_IN) == 0) {
            return lastCommit;
        }
        lastCommit = later(later(next(lastCommit), next(promised)), later(lastCut, ceiling(time.instant())));
        firstTurnAtLastCommit = turn();
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
