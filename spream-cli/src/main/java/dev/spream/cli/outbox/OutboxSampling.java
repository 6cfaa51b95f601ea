package dev.spream.cli.outbox;

import dev.spream.cli.http.OutboxEndpoints;
import dev.spream.cli.panel.Opening;
import dev.spream.core.LoggedFailure;
import dev.spream.core.SpreamException;
import dev.spream.outbox.OutboxOperations;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Samples an outbox periodically for its meters, so that a scrape does not query the database. */
final class OutboxSampling implements AutoCloseable {
    private static final long INTERVAL_SECONDS = 15;

    private static final Logger log = LoggerFactory.getLogger(OutboxSampling.class);

    private final ScheduledExecutorService sampling = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("spream-outbox-sampling").factory());

    private OutboxSampling() {}

    /** @param shown empty if the sample is not wanted; the outbox is then not queried */
    @SuppressWarnings("FutureReturnValueIgnored") // a sample does not fail, and ends with the executor
    static OutboxSampling start(Opening<OutboxOperations> opening, Optional<OutboxEndpoints> shown) throws Exception {
        OutboxSampling started = new OutboxSampling();
        if (shown.isPresent()) {
            OutboxOperations outbox = opening.get();
            started.sampling.scheduleWithFixedDelay(
                    () -> sample(outbox, shown.get()), 0, INTERVAL_SECONDS, TimeUnit.SECONDS);
        }
        return started;
    }

    /** Takes a sample. On failure the last one stays with its age; the worker reports an unreachable outbox itself. */
    private static void sample(OutboxOperations outbox, OutboxEndpoints endpoints) {
        try {
            endpoints.sampled(outbox.stats());
        } catch (SpreamException e) {
            log.debug("the outbox could not be sampled; its gauges keep their values", LoggedFailure.of(e));
        }
    }

    @Override
    public void close() {
        sampling.shutdownNow();
    }
}
