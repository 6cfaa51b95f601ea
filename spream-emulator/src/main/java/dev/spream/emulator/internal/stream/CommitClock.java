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
 * Assigns every commit of a database its timestamp, and returns times with guarantees about earlier and later commits.
 * Safe for use by many threads.
 *
 * <p>As in Spanner, a commit that began after another one returned has a later timestamp, while commits that overlap in
 * time and write different rows may share one.
 */
public final class CommitClock extends StreamClock {
    private static final int ONE_IN = 3;
    private static final long NEVER_OVERLAPS = Long.MAX_VALUE;

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by lock, except that finished is read without it.
    private final Random random;
    private Instant lastCommit = Instant.EPOCH;
    private Instant promised = Instant.EPOCH;
    private Instant lastCut = Instant.EPOCH;
    private final Set<Object> rowsAtLastCommit = new HashSet<>();
    private long firstTurnAtLastCommit;
    private volatile long finished;

    /**
     * Creates a clock that follows {@code time}; the seed decides which of the commits that may share a timestamp do.
     */
    public CommitClock(InstantSource time, long seed) {
        super(new ClockMode(time));
        this.random = new Random(seed);
    }

    /** Returns the begin time of a commit, for {@link #commit}: a commit that returns later overlaps with it. */
    public long begin() {
        return finished;
    }

    /**
     * Returns the begin time of a transaction that has read, in place of {@link #begin}: its timestamp must be later
     * than its reads.
     */
    public static long afterReading() {
        return NEVER_OVERLAPS;
    }

    /** Publishes a commit that begins now and has no row in common with others. */
    public <T> T commit(Function<Instant, T> publish) {
        return commit(begin(), Set.of(), publish);
    }

    /**
     * Publishes a commit: nothing else is committed, and no partition changes, while {@code publish} runs. Its
     * timestamp, in microseconds, is later than all that {@link #now} returned and not earlier than the last commit's.
     *
     * @param begun the result of {@link #begin} when the commit began
     * @param rows the keys that identify the rows it writes
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
        lastCommit = later(later(next(lastCommit), next(promised)), later(lastCut, ceiling(pace().instant())));
        firstTurnAtLastCommit = turn();
        rowsAtLastCommit.clear();
        rowsAtLastCommit.addAll(rows);
        return lastCommit;
    }

    @Override
    <T> T cut(Function<Instant, T> change) {
        lock.lock();
        try {
            lastCut = later(later(next(lastCommit), next(promised)), later(next(lastCut), ceiling(pace().instant())));
            return change.apply(lastCut);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Instant now() {
        lock.lock();
        try {
            promised = later(promised, pace().instant().truncatedTo(MICROS));
            promised = later(promised, later(lastCommit, lastCut));
            return promised;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Instant time() {
        lock.lock();
        try {
            return later(later(lastCommit, lastCut), later(promised, pace().instant()));
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of threads that wait for the lock, for tests that need commits to overlap. */
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
}
