package dev.spream.spring.metrics;

import dev.spream.api.metrics.OutboxMetrics;
import dev.spream.core.LoggedFailure;
import dev.spream.core.SpreamException;
import dev.spream.outbox.OutboxOperations;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Samples the outbox for its gauges, so that a scrape does not query the database. */
final class OutboxSampler implements AutoCloseable {
    private static final long INTERVAL_SECONDS = 15;
    private static final Logger log = LoggerFactory.getLogger(OutboxSampler.class);

    private final ScheduledExecutorService sampling = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("spream-outbox-sampling").factory());

    @SuppressWarnings("FutureReturnValueIgnored") // a sample does not fail, and ends with the executor
    OutboxSampler(OutboxOperations outbox, OutboxMetrics metrics) {
        sampling.scheduleWithFixedDelay(() -> sample(outbox, metrics), 0, INTERVAL_SECONDS, TimeUnit.SECONDS);
    }

    /** Takes a sample. On failure the last one stays with its age. */
    private static void sample(OutboxOperations outbox, OutboxMetrics metrics) {
        try {
            metrics.sampled(outbox.stats());
        } catch (SpreamException e) {
            log.debug("the outbox could not be sampled; its gauges keep their values", LoggedFailure.of(e));
        }
    }

    @Override
    public void close() {
        sampling.shutdownNow();
    }
}
