package dev.spream.outbox.worker;

import dev.spream.core.DurationText;
import dev.spream.outbox.SendOutcome;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the outcomes of attempts to the circuit breaker, and its changes to the log and the listeners. Each probe is
 * reported once: by its own thread or, if that does not return in time, by the watchdog; a later outcome of the probe
 * is treated like that of any other attempt. Safe for use by many threads.
 */
record CircuitBreakerEvents(
        CircuitBreaker breaker,
        String destination,
        OutboxSenderOptions options,
        WorkerEvents events,
        WorkerSignals signals) {
    private static final Logger log = LoggerFactory.getLogger(CircuitBreakerEvents.class);

    /** Returns whether the entry may be sent now. */
    boolean lets(ActiveClaim held) {
        return breaker.isClosed() || held.isProbe();
    }

    void sent(ActiveClaim held, SendOutcome outcome) {
        publish(breaker.sent(outcome, held.takeProbe(), signals.now()));
    }

    /**
     * Returns whether the attempt of a probe counts like any other attempt: if it reached the receiver, or the breaker
     * has been closed in the meantime.
     */
    boolean countsProbe(SendOutcome outcome) {
        return breaker.isClosed() || !CircuitBreaker.notReached(outcome);
    }

    /** Records the end of an attempt; if it was a probe without an outcome, another probe may be made. */
    void dropped(ActiveClaim held) {
        if (held.takeProbe()) {
            breaker.probeDropped();
            signals.claims.signal();
        }
    }

    /**
     * Records that a claim was lost or its call did not return in time; a probe that was not reported yet has failed.
     */
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
                "[{}] {}{} did not reach the receiver; the circuit breaker is open: no claims for {}, then one"
                        + " entry is sent as a probe",
                events.name(),
                label(),
                failures == 1 ? "1 attempt" : failures + " attempts in a row",
                DurationText.of(pause));
        events.publish(listener -> listener.breakerOpened(destination, failures, pause));
        changed();
    }

    private void closed() {
        log.info(
                "[{}] {}an entry reached the receiver; the circuit breaker is closed, and entries are claimed again",
                events.name(),
                label());
        events.publish(listener -> listener.breakerClosed(destination));
        changed();
    }

    private String label() {
        return destination.isEmpty() ? "" : "destination %s: ".formatted(destination);
    }

    private void changed() {
        signals.claims.signal();
        signals.maintenance.signal();
    }
}
