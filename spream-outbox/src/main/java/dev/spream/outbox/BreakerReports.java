package dev.spream.outbox;

import dev.spream.core.DurationText;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the circuit breaker what came of attempts, and everybody who has to know when it opens or closes. Of each probe one
 * report is made: by its own thread, or, if that does not come back, by the worker's clock; what comes of it later is that of
 * an attempt like any other. Safe for use by many threads.
 */
final class BreakerReports {
    private static final Logger log = LoggerFactory.getLogger(BreakerReports.class);

    private final WorkerContext context;
    private final Breaker breaker;
    private final Runnable onChange;

    /**
     * Reports to that breaker.
     *
     * @param onChange called when it has opened or closed
     */
    BreakerReports(WorkerContext context, Breaker breaker, Runnable onChange) {
        this.context = context;
        this.breaker = breaker;
        this.onChange = onChange;
    }

    /** Whether the entry may be sent now. */
    boolean lets(HeldClaim held) {
        return breaker.isClosed() || held.isProbe();
    }

    /** An attempt, or a query, is over. */
    void sent(HeldClaim held, SendOutcome outcome) {
        tell(breaker.sent(outcome, held.takeProbe(), context.now()));
    }

    /**
     * Whether the attempt of a probe counts, as that of any entry does: if it told something of the entry, or came to its end
     * after another had got through.
     */
    boolean countsProbe(SendOutcome outcome) {
        return breaker.isClosed() || !Breaker.notReached(outcome);
    }

    /** An attempt is over; if it was a probe without an outcome, another may be made. */
    void dropped(HeldClaim held) {
        if (held.takeProbe()) {
            breaker.probeDropped();
            context.claimsWake().raise();
        }
    }

    /** A claim is lost, or its call does not come back; if it is a probe that nobody has reported, it has failed. */
    void overdue(HeldClaim held) {
        if (held.takeProbe()) {
            tell(breaker.probeOverdue(context.now()));
        }
    }

    private void tell(Breaker.Change change) {
        switch (change) {
            case NONE -> {}
            case OPENED -> opened();
            case CLOSED -> closed();
        }
    }

    private void opened() {
        int failures = context.options().breakerFailures();
        Duration pause = context.options().breakerPause();
        log.warn(
                "[{}] {} did not get through; nothing is claimed for {}, then one entry is tried",
                context.owner().name(),
                failures == 1 ? "1 attempt" : failures + " attempts in a row",
                DurationText.of(pause));
        context.listener().tell(listener -> listener.breakerOpened(failures, pause));
        changed();
    }

    private void closed() {
        log.info(
                "[{}] an entry got through; entries are claimed again",
                context.owner().name());
        context.listener().tell(OutboxListener::breakerClosed);
        changed();
    }

    private void changed() {
        context.claimsWake().raise();
        onChange.run();
    }
}
