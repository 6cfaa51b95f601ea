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
 * The warnings of deliveries that failed: of each kind the first in ten seconds with its cause, and the others by their number.
 * Each of those is a line at DEBUG. A change that is skipped is kept nowhere else, and has its line always. Safe for use by
 * many threads.
 */
final class AttemptLog {
    static final Duration PERIOD = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(AttemptLog.class);
    private static final String RETRIED = "more attempts failed, which are repeated";
    private static final String DEAD_LETTERED = "more changes were dead-lettered after their last attempt";
    private static final String PARKED = "more changes were dead-lettered and their keys parked";
    private static final String UNREADABLE = "more changes with unreadable keys were dead-lettered as they came";
    private static final String UNDECODABLE = "more rows could not be decoded and were dead-lettered";
    private static final String BATCHES = "more batches failed, of which the rest is handed over one by one";

    private final EngineContext context;
    private final RepeatedLines repeated;

    AttemptLog(EngineContext context) {
        this.context = context;
        this.repeated = new RepeatedLines(context.time(), PERIOD);
    }

    void retried(DeliveryFailure failure, Duration delay) {
        log.atLevel(level(RETRIED))
                .setCause(LoggedFailure.of(failure.cause()))
                .log(
                        "[{}] consumer failed on {} (attempt {}); trying again in {}",
                        context.label(failure.partition()),
                        failure.change().identity(),
                        failure.attempt(),
                        DurationText.of(delay));
    }

    void skipped(DeliveryFailure failure) {
        log.warn(
                "[{}] consumer failed on {} after {}; the change is skipped, as decided",
                context.label(failure.partition()),
                failure.change().identity(),
                attempts(failure.attempt()),
                LoggedFailure.of(failure.cause()));
    }

    void deadLettered(DeliveryFailure failure) {
        settled(
                DEAD_LETTERED,
                failure,
                "[{}] consumer failed on {} after {}; the change is dead-lettered, as decided, and delivery continues behind it");
    }

    void parked(DeliveryFailure failure) {
        settled(
                PARKED,
                failure,
                "[{}] consumer failed on {} after {}; its keys are parked, as decided: it and later changes of them are dead-lettered until they are released");
    }

    void unreadable(DeliveryFailure failure) {
        settled(
                UNREADABLE,
                failure,
                "[{}] consumer failed on {} after {}; its primary keys cannot be read, so the change is dead-lettered as it came and nothing is parked: later changes of its keys are delivered");
    }

    void undecodable(DeliveryFailure failure) {
        log.atLevel(level(UNDECODABLE))
                .setCause(LoggedFailure.of(failure.cause()))
                .log(
                        "[{}] a row cannot be decoded and was dead-lettered as {}; later changes of its keys are delivered",
                        context.label(failure.partition()),
                        failure.change().identity());
    }

    void batchFailed(HeldPartition partition, int size, Throwable thrown) {
        log.atLevel(level(BATCHES))
                .setCause(LoggedFailure.of(thrown))
                .log(
                        "[{}] consumer failed on a batch of {}; those not settled are handed over one by one",
                        context.label(partition.token()),
                        size);
    }

    static String attempts(int count) {
        return count == 1 ? "1 attempt" : count + " attempts";
    }

    private void settled(String kind, DeliveryFailure failure, String line) {
        log.atLevel(level(kind))
                .setCause(LoggedFailure.of(failure.cause()))
                .log(
                        line,
                        context.label(failure.partition()),
                        failure.change().identity(),
                        attempts(failure.attempt()));
    }

    private Level level(String kind) {
        return repeated.pass(kind) ? Level.WARN : Level.DEBUG;
    }

    /** Says what was left out, if its time is over. */
    void summarize() {
        summarize(repeated.takeOver());
    }

    /** Says what was left out. */
    void summarizeAll() {
        summarize(repeated.takeAll());
    }

    private void summarize(Map<String, Long> leftOut) {
        leftOut.forEach((kind, count) -> log.warn("[{}] {} {}", context.source().streamName(), count, kind));
    }
}
