package dev.spream.outbox.worker;

import dev.spream.core.DurationText;
import dev.spream.outbox.SendOutcome;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the outcomes of attempts to the circuit breaker, and to others when it opens or closes. Of each probe one
 * report is made: by its own thread, or, if that does not come back, by the worker's clock; what comes of it later is that of
 * an attempt like any other. Safe for use by many threads.
 */
record CircuitBreakerEvents(
        CircuitBreaker breaker, OutboxWorkerOptions options, WorkerEvents events, WorkerSignals signals) {
    private static final Logger log = LoggerFactory.getLogger(CircuitBreakerEvents.class);

    /** Returns whether the entry may be sent now. */
    boolean lets(ActiveClaim held) {
        return breaker.isClosed() || held.isProbe();
    }

    void sent(ActiveClaim held, SendOutcome outcome) {
        publish(breaker.sent(outcome, held.takeProbe(), signals.now()));
    }

    /**
     * Returns whether the attempt of a probe counts, as that of any entry does: if it told something of the entry, or came to
     * its end after another had got through.
     */
    boolean countsProbe(SendOutcome outcome) {
        return breaker.isClosed() || !CircuitBreaker.notReached(outcome);
    }

    /** An attempt is over; if it was a probe without an outcome, another may be made. */
    void dropped(ActiveClaim held) {
        if (held.takeProbe()) {
            breaker.probeDropped();
            signals.claims.signal();
        }
    }

    /** A claim is lost, or its call does not come back; if it is a probe that was not reported, it has failed. */
    void overdue(ActiveClaim held) {
        if (held.takeProbe()) {
            publish(breaker.probeOverdue(signals.now()));
        }
    }

    private void publish(CircuitBreaker.Change change) {
        switch (change) {
            case NONE -> {}
            case OPENED -> opened();
            case CLOSED -> closed();
        }
    }

    private void opened() {
        int failures = options.breakerFailures();
        Duration pause = options.breakerPause();
        log.warn(
                "[{}] {} did not reach the receiver; the circuit breaker is open: no claims for {}, then one entry is tried",
                events.name(),
                failures == 1 ? "1 attempt" : failures + " attempts in a row",
                DurationText.of(pause));
        events.publish(listener -> listener.breakerOpened(failures, pause));
        changed();
    }

    private void closed() {
        log.info(
                "[{}] an entry reached the receiver; the circuit breaker is closed, and entries are claimed again",
                events.name());
        events.publish(OutboxListener::breakerClosed);
        changed();
    }

    private void changed() {
        signals.claims.signal();
        signals.maintenance.signal();
    }
}
