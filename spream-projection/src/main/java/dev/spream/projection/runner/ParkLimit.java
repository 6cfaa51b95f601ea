package dev.spream.projection.runner;

import dev.spream.projection.FailureKind;
import dev.spream.projection.ParkedSummary;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionStore;
import java.util.Optional;

/**
 * The limit beyond which a projection stops rather than parking more aggregates: a bound on the aggregates that wait for an
 * operator, which the store counts, whichever process parked them; and a bound on the share of non-retryable failures among
 * recently tried events, which this process counts. Safe for use by many threads.
 */
final class ParkLimit {
    /** The number of failures up to which the percentage is not checked. */
    static final int FEW = 20;

    private static final int WINDOW = 200;
    private static final int MAX_ERROR = 200;
    private static final int PERCENT = 100;

    private final ProjectionStore<?> store;
    private final ProjectionOptions options;
    private final VersionStatus status;

    // Guarded by this.
    private long applied;
    private long parked;
    private Optional<String> firstError = Optional.empty(); // of those parked

    ParkLimit(ProjectionStore<?> store, ProjectionOptions options, VersionStatus status) {
        this.store = store;
        this.options = options;
        this.status = status;
    }

    /**
     * Records a committed transaction: the number of events applied in it, and of aggregates parked for an operator.
     */
    synchronized void committed(long events, long aggregates, Optional<String> error) {
        applied += events;
        parked += aggregates;
        firstError = firstError.or(() -> error);
        while (applied + parked > WINDOW) {
            applied /= 2;
            parked /= 2;
        }
    }

    /** Resets the failures: the projection was stopped, and may have been corrected. */
    synchronized void reset() {
        applied = 0;
        parked = 0;
        firstError = Optional.empty();
    }

    /**
     * Checks that an aggregate may be parked for an operator after a non-retryable failure.
     *
     * @param before the number of events that are applied before it in the same transaction
     * @param pending the number of other aggregates to be parked in the same transaction
     * @throws LoopExit if the limit is exceeded
     */
    void requireRoom(int before, int pending, String error) throws LoopExit {
        requireFewFailures(before, pending, error);
        requireRoomInStore(pending, error);
    }

    private synchronized void requireFewFailures(int before, int pending, String error) throws LoopExit {
        long failed = parked + pending + 1;
        long tried = applied + before + failed;
        int most = options.maxFailingPercent();
        if (failed > FEW && failed * PERCENT > tried * most) {
            throw stop(
                    "%d of the last %d events that were tried failed permanently, more than %d %%"
                            .formatted(failed, tried, most),
                    firstError,
                    error);
        }
    }

    /**
     * Checks the same of a parked aggregate that has no attempts left and waits for an operator.
     *
     * @throws LoopExit if the limit is exceeded
     */
    void requireRoomInStore(int pending, String error) throws LoopExit {
        ParkedSummary stored;
        try {
            stored = store.parkedSummary(status.name);
        } catch (RuntimeException e) {
            throw LoopExit.outage(e);
        }
        int most = options.maxParked();
        if (stored.waiting() + pending >= most) {
            throw stop(
                    "%d aggregates are parked and wait for an operator; the limit is %d"
                            .formatted(stored.waiting() + pending, most),
                    stored.firstError(),
                    error);
        }
    }

    private LoopExit stop(String why, Optional<String> first, String last) {
        String label = status.version().label();
        return LoopExit.fatal(new ProjectionException(
                FailureKind.FATAL,
                ("%s; no further aggregate is parked, and later events remain in their source: correct the code or its environment,"
                                + " then 'projection resume %s' and 'projection retry %s --all'; first error: %s; last error: %s")
                        .formatted(why, label, label, shortened(first.orElse(last)), shortened(last)),
                null));
    }

    private static String shortened(String error) {
        return error.length() <= MAX_ERROR ? error : error.substring(0, MAX_ERROR);
    }
}
