package dev.spream.projection;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * The options with which a process runs a projection.
 *
 * @param segments the number of segments of a new projection: a power of 2 from 1 to 256. An existing one keeps its
 *     number, see {@link ProjectionOperations#split}. 4 by default
 * @param batch the maximum number of events in one transaction: 1 to 100,000. 1,000 by default. Unless it is 1, a rebuild, and a
 *     projection that folds and has neither side effects nor an external read model, takes ten times as many, but not
 *     more than 10,000 for that reason, while more than ten batches of a source with positions wait, those of other
 *     segments included
 * @param linger how long a batch waits for more events after its first one: 0 to 1 min. 0 by default
 * @param lease the lease time, after which the segments of an unresponsive process are taken over: 1 s to 1 h. 15 s by
 *     default
 * @param maxAttempts the maximum number of attempts at a failing event before it waits for an operator: 1 to 1,000. 4
 *     by default
 * @param initialDelay the delay before the second attempt, which about doubles for each further one. 1 s by default
 * @param maxDelay the maximum delay between two attempts. 30 s by default
 * @param gaps the handling of an event whose version does not follow the previous one
 * @param maxParked the maximum number of aggregates of a version that may wait for an operator, whichever process
 *     parked them; the projection stops as {@link ProjectionStatus#FAILED} rather than parking another one: 1 to
 *     1,000,000. 1,000 by default
 * @param maxFailingPercent the maximum percentage of non-retryable failures among the events that a process tried
 *     recently, a few hundred at most; the projection stops if a higher percentage fails, and more than 20 events: 1 to
 *     100, where 100 sets no limit. 50 by default
 */
public record ProjectionOptions(
        int segments,
        int batch,
        Duration linger,
        Duration lease,
        int maxAttempts,
        Duration initialDelay,
        Duration maxDelay,
        Gaps gaps,
        int maxParked,
        int maxFailingPercent) {
    public static final int MAX_SEGMENTS = 256;
    public static final int MAX_BATCH = 100_000;
    public static final Duration MAX_LINGER = Duration.ofMinutes(1);
    public static final int MAX_MAX_PARKED = 1_000_000;
    public static final int MAX_MAX_FAILING_PERCENT = 100;
    public static final Duration MIN_LEASE = Duration.ofSeconds(1);
    public static final Duration MAX_LEASE = Duration.ofHours(1);
    public static final int MAX_MAX_ATTEMPTS = 1_000;
    public static final Duration MIN_INITIAL_DELAY = Duration.ofMillis(1);
    public static final Duration MAX_INITIAL_DELAY = Duration.ofHours(1);
    public static final Duration MAX_MAX_DELAY = Duration.ofDays(1);

    public static final ProjectionOptions DEFAULTS = new ProjectionOptions(
            4,
            1_000,
            Duration.ZERO,
            Duration.ofSeconds(15),
            4,
            Duration.ofSeconds(1),
            Duration.ofSeconds(30),
            Gaps.WAIT,
            1_000,
            50);

    /** The handling of an event whose version is more than one above the last. */
    public enum Gaps {
        /**
         * It waits, parked, until the events before it have arrived: for sources that deliver every event of an
         * aggregate.
         */
        WAIT,
        /**
         * It is applied: for sources that deliver only some events of an aggregate, in order. An event after a later
         * one counts as a duplicate, and is not applied, unless both are in one batch.
         */
        ACCEPT
    }

    public ProjectionOptions {
        if (segments < 1 || segments > MAX_SEGMENTS || Integer.bitCount(segments) != 1) {
            throw new IllegalArgumentException(
                    "segments is %d, must be a power of 2 from 1 to %d".formatted(segments, MAX_SEGMENTS));
        }
        requireBetween("batch", batch, 1, MAX_BATCH);
        requireBetween("maxAttempts", maxAttempts, 1, MAX_MAX_ATTEMPTS);
        requireBetween("maxParked", maxParked, 1, MAX_MAX_PARKED);
        requireBetween("maxFailingPercent", maxFailingPercent, 1, MAX_MAX_FAILING_PERCENT);
        requireBetween("linger", linger, Duration.ZERO, MAX_LINGER);
        requireBetween("lease", lease, MIN_LEASE, MAX_LEASE);
        requireBetween("initialDelay", initialDelay, MIN_INITIAL_DELAY, MAX_INITIAL_DELAY);
        requireBetween("maxDelay", maxDelay, initialDelay, MAX_MAX_DELAY);
        requireNonNull(gaps, "gaps");
    }

    public ProjectionOptions withSegments(int value) {
        return with(value, batch, linger, lease, gaps);
    }

    public ProjectionOptions withBatch(int value) {
        return with(segments, value, linger, lease, gaps);
    }

    public ProjectionOptions withLinger(Duration value) {
        return with(segments, batch, value, lease, gaps);
    }

    public ProjectionOptions withLease(Duration value) {
        return with(segments, batch, linger, value, gaps);
    }

    public ProjectionOptions withGaps(Gaps value) {
        return with(segments, batch, linger, lease, value);
    }

    private ProjectionOptions with(
            int someSegments, int someBatch, Duration someLinger, Duration someLease, Gaps someGaps) {
        return new ProjectionOptions(
                someSegments,
                someBatch,
                someLinger,
                someLease,
                maxAttempts,
                initialDelay,
                maxDelay,
                someGaps,
                maxParked,
                maxFailingPercent);
    }

    public ProjectionOptions withRetries(int attempts, Duration initial, Duration max) {
        return new ProjectionOptions(
                segments, batch, linger, lease, attempts, initial, max, gaps, maxParked, maxFailingPercent);
    }

    public ProjectionOptions withMaxParked(int aggregates) {
        return withLimits(aggregates, maxFailingPercent);
    }

    public ProjectionOptions withMaxFailingPercent(int percent) {
        return withLimits(maxParked, percent);
    }

    private ProjectionOptions withLimits(int aggregates, int percent) {
        return new ProjectionOptions(
                segments, batch, linger, lease, maxAttempts, initialDelay, maxDelay, gaps, aggregates, percent);
    }
}
