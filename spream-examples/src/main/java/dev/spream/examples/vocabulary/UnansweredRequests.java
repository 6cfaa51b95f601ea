package dev.spream.examples.vocabulary;

import dev.spream.core.LoggedFailure;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of requests that failed because a database or the search was unavailable: for each kind of request the first
 * failure with its cause, a count every minute, and a line at the next success. Safe for use by many threads.
 */
final class UnansweredRequests {
    private static final Logger log = LoggerFactory.getLogger(UnansweredRequests.class);
    private static final Duration EVERY = Duration.ofMinutes(1);

    private static final class Outage {
        private long requests;
        private Instant said;

        private Outage(Instant said) {
            this.said = said;
        }
    }

    private final InstantSource clock;
    private final Map<String, Outage> outages = new HashMap<>(); // guarded by this, by kind

    UnansweredRequests(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * Records a request that could not be answered.
     *
     * @param kind the kind of request, one of few
     */
    synchronized void failed(String kind, String request, String correlationId, Exception cause) {
        Instant now = clock.instant();
        Outage outage = outages.computeIfAbsent(kind, first -> new Outage(now));
        outage.requests++;
        if (outage.requests == 1) {
            log.warn(
                    "{} could not be answered (correlation id {}); others of {} are counted until one is answered",
                    request,
                    correlationId,
                    kind,
                    LoggedFailure.of(cause));
        } else if (!now.isBefore(outage.said.plus(EVERY))) {
            outage.said = now;
            log.warn(
                    "{} requests of {} could not be answered so far; {}",
                    outage.requests,
                    kind,
                    LoggedFailure.message(cause));
        }
    }

    synchronized void answered(String kind) {
        Outage over = outages.isEmpty() ? null : outages.remove(kind);
        if (over != null) {
            log.info("{} answers again, after {} requests that could not be answered", kind, over.requests);
        }
    }
}
