package dev.spream.projection;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * The options of a projection.
 *
 * @param segments into how many it is split: a power of 2 from 1 to 256. Of one that has run before those count that it has, see
 *     {@link ProjectionOperations#split}. 4 by default
 * @param batch how many events in one transaction at most: 1 to 100,000. 1,000 by default
 * @param linger how long a batch waits to be full, once it has its first event: 0 to 1 min. 0 by default
 * @param lease how long a segment stays with a process that is silent: 1 s to 1 h. 15 s by default
 * @param maxAttempts at an event that fails, before it waits for an operator: 1 to 1,000. 4 by default: three after the first
 * @param initialDelay before the second attempt; about doubles for each after it. 1 s by default
 * @param maxDelay between two attempts at most. 30 s by default
 * @param gaps what a version means that does not follow the one before it
 * @param maxParked the most aggregates of a version that may wait for an operator, whichever process parked them; the projection
 *     stops as {@link ProjectionStatus#FAILED} rather than parking another one: 1 to 1,000,000. 1,000 by default
 * @param maxFailingPercent the greatest share of non-retryable failures among the events that a process tried recently, a few
 *     hundred at most; the projection stops if more do, and more than 20: 1 to 100, where 100 sets no limit. 50 by default
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
        /** It waits, parked, until those before it have come: for sources that deliver every event of an aggregate. */
        WAIT,
        /**
         * It is applied: for sources that deliver some events of an aggregate only, in their order. One that comes after a later
         * one counts as a duplicate, and is not applied, unless both are of one batch.
         */
        ACCEPT
    }

    public ProjectionOptions {
        if (segments < 1 || segments > MAX_SEGMENTS || Integer.bitCount(segments) != 1) {
            throw new IllegalArgumentException(
                    "%d segments: must be a power of 2 from 1 to %d".formatted(segments, MAX_SEGMENTS));
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
