package dev.spream.emulator.internal.stream;

import static java.time.temporal.ChronoUnit.MICROS;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The clock of a database that another server holds. That server assigns the commit timestamps; this clock asks it for
 * the commits up to its present time, and places changes of partitions directly behind them. Safe for use by many
 * threads.
 *
 * <p>With a clock that a test drives, commits after the driven time stay unknown until the test advances it.
 */
public final class FollowedClock extends StreamClock {
    private final Commits commits;
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicLong requests = new AtomicLong();

    // Written under lock; time() reads the volatile ones without it.
    private long served;
    private volatile Instant lastCut = Instant.EPOCH;
    private volatile Instant settled = Instant.EPOCH;
    private volatile Duration ahead = Duration.between(Instant.now(), Instant.EPOCH); // unknown before the first look

    /** The commits of the other server. */
    @FunctionalInterface
    public interface Commits {

        /**
         * Hands all commits up to the other server's present time to the streams, but none after {@code limit}. Called
         * by one thread at a time.
         *
         * @return the time up to which all commits have been handed over: the present one, or {@code limit} if that is
         * earlier
         */
        Instant publish(Instant limit);
    }

    public FollowedClock(InstantSource time, Commits commits) {
        super(new ClockMode(time));
        this.commits = commits;
    }

    private Instant limit() {
        return pace().isDriven() ? later(pace().instant(), lastCut) : Instant.MAX;
    }

    @Override
    public <T> T cut(Function<Instant, T> change) {
        lock.lock();
        try {
            lastCut = later(now(), lastCut).plus(1, MICROS);
            return change.apply(lastCut);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Instant now() {
        long request = requests.incrementAndGet();
        Instant present = time();
        lock.lock();
        try {
            while (served < request || settled.isBefore(present) || settled.isBefore(lastCut)) {
                follow();
            }
            return settled;
        } finally {
            lock.unlock();
        }
    }

    @Override
    Instant settled(Instant wanted) {
        Instant known = settled;
        return known.isBefore(wanted) || known.isBefore(lastCut) ? now() : known;
    }

    /** Serves all requests so far: one look at the other server is enough for the calls that waited for it. */
    private void follow() {
        long serving = requests.get();
        Instant limit = limit();
        Instant known = commits.publish(limit);
        if (known.isBefore(limit)) {
            ahead = Duration.between(Instant.now(), known);
        }
        settled = later(settled, known);
        served = serving;
    }

    @Override
    public Instant time() {
        Instant limit = limit();
        Instant estimated = Instant.now().plus(ahead);
        return later(later(settled, lastCut), estimated.isBefore(limit) ? estimated : limit);
    }
}
