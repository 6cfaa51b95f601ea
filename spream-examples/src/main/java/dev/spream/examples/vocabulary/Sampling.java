package dev.spream.examples.vocabulary;

import dev.spream.core.LoggedFailure;
import dev.spream.core.SpreamException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A periodic sample of values from a database, for meters and health checks, which thus never query the database
 * themselves.
 */
final class Sampling implements AutoCloseable {
    static final Duration INTERVAL = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(Sampling.class);

    interface Sampled {
        /**
         * Takes a sample.
         *
         * @throws SpreamException if the database cannot be read
         */
        void sample();

        /** Marks the values as unknown until the next sample. */
        void notSampled();
    }

    private final ScheduledExecutorService sampling = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("vocabulary-sampling").factory());

    private Sampling() {}

    /** Takes a sample of each at once, and then periodically until it is closed. */
    @SuppressWarnings("FutureReturnValueIgnored") // a sample does not fail, and ends with the executor
    static Sampling start(Duration interval, List<Sampled> all) {
        Sampling started = new Sampling();
        started.sampling.scheduleWithFixedDelay(
                () -> all.forEach(Sampling::sample), 0, interval.toMillis(), TimeUnit.MILLISECONDS);
        return started;
    }

    private static void sample(Sampled sampled) {
        try {
            sampled.sample();
        } catch (SpreamException e) { // other users of the database report that it cannot be reached
            sampled.notSampled();
        } catch (RuntimeException e) {
            log.warn("a sample failed; its values are unknown until the next one", LoggedFailure.of(e));
            sampled.notSampled();
        }
    }

    @Override
    public void close() {
        sampling.shutdownNow();
    }
}
