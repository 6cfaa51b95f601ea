package dev.spream.core.subscription;

import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.internal.RepeatedLines;
import dev.spream.core.subscription.lease.HeldPartition;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The warnings about failed deliveries: the first of each kind in ten seconds with its cause, the others as a count,
 * each with a line at DEBUG. A skipped change is stored nowhere else and is always logged. Safe for use by many
 * threads.
 */
record AttemptLog(EngineContext context, RepeatedLines repeated) {
    static final Duration PERIOD = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(AttemptLog.class);
    private static final String RETRIED = "more attempts failed and are retried";
    private static final String DEAD_LETTERED = "more changes were dead-lettered after their last attempt";
    private static final String PARKED = "more changes were dead-lettered and their keys parked";
    private static final String UNREADABLE = "more changes with unreadable keys were dead-lettered as received";
    private static final String UNDECODABLE = "more rows could not be decoded and were dead-lettered";
    private static final String BATCHES = "more batches failed; their unsettled changes are delivered one by one";

    AttemptLog(EngineContext context) {
        this(context, new RepeatedLines(context.time(), PERIOD, 1));
    }

    void retried(DeliveryFailure failure, Duration delay) {
        log(
                level(RETRIED),
                failure,
                "[{}] consumer failed on {} (attempt {}); retrying in {}",
                failure.attempt(),
                DurationText.of(delay));
    }

    void skipped(DeliveryFailure failure) {
        log(
                Level.WARN,
                failure,
                "[{}] consumer failed on {} after {}; the change is skipped, as decided",
                attempts(failure.attempt()));
    }

    void deadLettered(DeliveryFailure failure) {
        log(
                level(DEAD_LETTERED),
                failure,
                "[{}] consumer failed on {} after {}; the change is dead-lettered, as decided, and delivery continues after it",
                attempts(failure.attempt()));
    }

    void parked(DeliveryFailure failure) {
        log(
                level(PARKED),
                failure,
                "[{}] consumer failed on {} after {}; its keys are parked, as decided: it and later changes of them are dead-lettered until they are released",
                attempts(failure.attempt()));
    }

    void unreadable(DeliveryFailure failure) {
        log(
                level(UNREADABLE),
                failure,
                "[{}] consumer failed on {} after {}; its primary keys cannot be read, so the change is dead-lettered as received and nothing is parked: later changes of its keys are delivered",
                attempts(failure.attempt()));
    }

    void undecodable(DeliveryFailure failure) {
        log(
                level(UNDECODABLE),
                failure,
                "[{}] a row cannot be decoded and was dead-lettered as {}; later changes of its keys are delivered");
    }

    void batchFailed(HeldPartition partition, int size, Throwable thrown) {
        log.atLevel(level(BATCHES))
                .setCause(LoggedFailure.of(thrown))
                .log(
                        "[{}] consumer failed on a batch of {}; unsettled changes are delivered one by one",
                        context.label(partition.token()),
                        size);
    }

    static String attempts(int count) {
        return count == 1 ? "1 attempt" : count + " attempts";
    }

    private void log(Level level, DeliveryFailure failure, String line, Object... more) {
        log.atLevel(level)
                .setCause(LoggedFailure.of(failure.cause()))
                .addArgument(context.label(failure.partition()))
                .addArgument(failure.change().identity())
                .log(line, more);
    }

    private Level level(String kind) {
        return repeated.pass(kind) ? Level.WARN : Level.DEBUG;
    }

    /** Logs the counts of omitted lines whose interval is over. */
    void summarize() {
        summarize(repeated.takeOver());
    }

    void summarizeAll() {
        summarize(repeated.takeAll());
    }

    private void summarize(Map<String, Long> leftOut) {
        leftOut.forEach((kind, count) -> log.warn("[{}] {} {}", context.source().streamName(), count, kind));
    }
}
