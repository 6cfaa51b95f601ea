package dev.spream.api.metrics;

import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.subscription.SubscriptionView;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The retention period of a stream, queried from the server in the background at long intervals; reads return the last
 * known value. Safe for use by many threads.
 */
final class RetentionWatch {
    private static final Logger log = LoggerFactory.getLogger(RetentionWatch.class);
    private static final Duration GOOD_FOR = Duration.ofMinutes(10);
    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMinutes(1);

    private final SubscriptionView subscription;
    private final InstantSource clock;

    // Guarded by this.
    private @Nullable Duration latest;
    private boolean answered;
    private boolean asking;
    private boolean stopped;
    private Instant askAgainAt = Instant.MIN;

    RetentionWatch(SubscriptionView subscription, InstantSource clock) {
        this.subscription = subscription;
        this.clock = clock;
    }

    /** Returns the last answer of the server; empty before the first. */
    synchronized Optional<Duration> latest() {
        if (!asking && !stopped && !clock.instant().isBefore(askAgainAt)) {
            asking = true;
            Thread.ofVirtual()
                    .name("spream-" + subscription.streamName() + "-retention")
                    .start(this::ask);
        }
        return Optional.ofNullable(latest);
    }

    synchronized boolean isAnswered() {
        return answered;
    }

    synchronized void stop() {
        stopped = true;
    }

    private void ask() {
        Optional<Duration> answer = Optional.empty();
        boolean hasAnswered = false;
        try {
            answer = subscription.retention();
            hasAnswered = true;
        } catch (RuntimeException e) {
            log.debug(
                    "[{}] the retention period of the stream is unknown; retrying in {}",
                    subscription.streamName(),
                    DurationText.of(PAUSE_AFTER_FAILURE),
                    LoggedFailure.of(e));
        } finally {
            note(hasAnswered, answer);
        }
    }

    private synchronized void note(boolean hasAnswered, Optional<Duration> answer) {
        answered |= hasAnswered;
        latest = answer.orElse(latest);
        askAgainAt = clock.instant().plus(hasAnswered ? GOOD_FOR : PAUSE_AFTER_FAILURE);
        asking = false;
    }
}
