package dev.spream.projection.waiting;

import dev.spream.core.StorageException;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.Waiter;
import dev.spream.projection.AggregateState;
import dev.spream.projection.ProjectionProgress;
import dev.spream.projection.ProjectionStatus;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One waiting call: what it waits for, and what is known about it. Written by any thread, awaited by one. It ends once;
 * later answers have no effect.
 */
final class Ticket {
    /** The id of a call that waits for a position; no aggregate has it. */
    static final String NO_AGGREGATE = "";

    /** The time that the first look has, even if the limit is shorter. */
    private static final long FIRST_LOOK = TimeUnit.SECONDS.toNanos(1);

    private final String projection;
    private final String aggregate;
    private final long version;
    private final long position;
    private final MonotonicTime time;
    private final Waiter wake;
    private final long since;
    private final AtomicReference<@Nullable WaitOutcome> outcome = new AtomicReference<>();
    private volatile @Nullable ProjectionProgress seen; // by the last look that succeeded
    private volatile @Nullable StorageException failure; // of the last look, if it failed

    /**
     * @param projection its name, for messages
     * @param aggregate the aggregate, or {@link #NO_AGGREGATE}
     * @param version the version of the aggregate
     * @param position the position that suffices if the aggregate is not parked
     */
    Ticket(String projection, String aggregate, long version, long position, MonotonicTime time) {
        this.projection = projection;
        this.aggregate = aggregate;
        this.version = version;
        this.position = position;
        this.time = time;
        this.wake = new Waiter(time);
        this.since = time.nanoTime();
    }

    String aggregate() {
        return aggregate;
    }

    /** Returns the time of its beginning, by the nanosecond clock. */
    long since() {
        return since;
    }

    /** Records that the aggregate has that version. */
    void advanced(long now) {
        if (now >= version) {
            end(new WaitOutcome.Reached());
        }
    }

    /** Records a look at the store. */
    void found(ProjectionProgress progress) {
        seen = progress;
        failure = null;
        find(progress).ifPresent(this::end);
        wake.signal();
    }

    private Optional<WaitOutcome> find(ProjectionProgress progress) {
        AggregateState state = progress.aggregate(aggregate);
        boolean applied = isOfAggregate() && state.lastVersion() >= version;
        if (applied || (!state.parked() && progress.position() >= position)) {
            return Optional.of(new WaitOutcome.Reached());
        }
        if (progress.stuck().contains(aggregate)) {
            return Optional.of(new WaitOutcome.Parked(aggregate));
        }
        boolean stopped = progress.status() == ProjectionStatus.PAUSED || progress.status() == ProjectionStatus.FAILED;
        return stopped ? Optional.of(late(progress)) : Optional.empty();
    }

    private boolean isOfAggregate() {
        return !aggregate.equals(NO_AGGREGATE);
    }

    private WaitOutcome late(ProjectionProgress progress) {
        return progress.aggregate(aggregate).parked()
                ? new WaitOutcome.Parked(aggregate)
                : new WaitOutcome.Behind(progress.status(), progress.position());
    }

    /** Records a look that failed. */
    void failed(StorageException thrown) {
        failure = thrown;
        wake.signal();
    }

    private void end(WaitOutcome result) {
        if (outcome.compareAndSet(null, result)) {
            wake.signal();
        }
    }

    /**
     * Waits until it has ended, at most for that long; for the first look a second, if that is longer.
     *
     * @throws StorageException the failure of the last look: at once if it is non-retryable, otherwise after the limit; no
     *     look has ended
     */
    WaitOutcome await(long limit) throws InterruptedException {
        while (true) {
            WaitOutcome result = outcome.get();
            if (result != null) {
                return result;
            }
            StorageException thrown = failure;
            ProjectionProgress last = seen;
            long waited = time.nanoTime() - since;
            long left = (last == null && thrown == null ? Math.max(limit, FIRST_LOOK) : limit) - waited;
            if (thrown != null && (left <= 0 || !thrown.retryable())) {
                throw thrown;
            }
            if (last != null && left <= 0) {
                return late(last);
            }
            if (left <= 0) {
                throw new StorageException(
                        "waiting for projection '%s' failed: its store did not answer within %d ms; the same call may succeed later"
                                .formatted(projection, TimeUnit.NANOSECONDS.toMillis(waited)),
                        true,
                        null);
            }
            wake.await(left);
        }
    }
}
