package dev.spream.cli.http;

import dev.spream.core.LoggedFailure;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A state that is read on request, at most once in an interval. If a read fails or hangs, the last result is returned
 * with the error. Safe for use by many threads.
 */
final class LatestRead<T> {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(30);

    private final String what;
    private final Callable<T> reading;
    private final Duration interval;
    private final int pause;
    private final InstantSource clock;

    // Guarded by this.
    private @Nullable T latest;
    private @Nullable Instant readAt;
    private @Nullable String error;
    private Instant askedAt = Instant.MIN;
    private Instant endedAt = Instant.MIN;
    private Duration rest = Duration.ZERO; // the time from a read to the next
    private CompletableFuture<?> asking = CompletableFuture.completedFuture(null);
    private boolean waiting; // for a read in progress

    /**
     * Creates a state that was not read yet.
     *
     * @param what the place that is asked, for messages
     * @param reading called by one thread at a time
     * @param pause the minimum time between two reads as a multiple of the time that a read takes; at most 30 seconds
     *     pass after a read, and only the interval after a failed one
     */
    LatestRead(String what, Callable<T> reading, Duration interval, int pause, InstantSource clock) {
        this.what = what;
        this.reading = reading;
        this.interval = interval;
        this.pause = pause;
        this.clock = clock;
    }

    /**
     * The known state.
     *
     * @param value the last result; empty before the first
     * @param readAt the time of the last result, by the clock of this machine
     * @param error the error of a later read; empty without one
     */
    record Known<T>(Optional<T> value, Optional<Instant> readAt, Optional<String> error) {}

    /** Returns the known state; if it is old, waits for a new result for a short time. */
    Known<T> look() throws InterruptedException {
        CompletableFuture<?> answer = ask();
        boolean late = false;
        try {
            answer.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            late = true;
        } catch (ExecutionException e) {
            throw new IllegalStateException("reading %s ended unexpectedly".formatted(what), e);
        }
        return known(late);
    }

    /** Lets the next look read again, after a command has changed the state; a read in progress is not enough then. */
    synchronized void expire() {
        askedAt = Instant.MIN;
        rest = Duration.ZERO;
    }

    /** Lets the next look read again, if no read is in progress and that much time has passed since the last one. */
    synchronized void expire(Duration age) {
        if (asking.isDone() && !clock.instant().isBefore(endedAt.plus(age))) {
            expire();
        }
    }

    private synchronized Known<T> known(boolean late) {
        return new Known<>(
                Optional.ofNullable(latest),
                Optional.ofNullable(readAt),
                Optional.ofNullable(late && error == null ? what + " has not answered yet" : error));
    }

    /** Returns the read in progress, or starts one if the last result is old, after the one in progress. */
    private synchronized CompletableFuture<?> ask() {
        Instant now = clock.instant();
        boolean fresh = !now.isBefore(askedAt) && now.isBefore(askedAt.plus(rest));
        boolean expired = askedAt.equals(Instant.MIN);
        if (expired ? !waiting : asking.isDone() && !fresh) {
            waiting = true;
            askedAt = now;
            rest = interval;
            asking = asking.handleAsync(
                    (ended, failed) -> read(now), Thread.ofVirtual().name("spream-http-read")::start);
        }
        return asking;
    }

    private @Nullable Void read(Instant asked) {
        Instant began = begin();
        try {
            note(asked, began, reading.call(), null);
        } catch (Exception e) {
            note(asked, began, null, LoggedFailure.brief(e));
        }
        return null;
    }

    private synchronized Instant begin() {
        waiting = false;
        return clock.instant();
    }

    private synchronized void note(Instant asked, Instant began, @Nullable T result, @Nullable String failure) {
        Instant now = clock.instant();
        if (result != null) {
            latest = result;
            readAt = now;
        }
        error = failure;
        endedAt = now;
        Duration needed = Duration.between(began, now);
        Duration after = failure == null ? needed.multipliedBy(pause - 1) : interval;
        Duration total = Duration.between(asked, now).plus(after.compareTo(MAX_PAUSE) > 0 ? MAX_PAUSE : after);
        if (askedAt.equals(asked) && total.compareTo(rest) > 0) {
            rest = total;
        }
    }
}
