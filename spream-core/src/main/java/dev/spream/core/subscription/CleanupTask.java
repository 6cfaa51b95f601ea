package dev.spream.core.subscription;

import dev.spream.core.internal.Bounds;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The periodic removal of finished partitions, of their proofs and of expired workers, so that the stored lineage does not
 * grow without bound. A round that fails is repeated at the next interval.
 *
 * @param storageTime the time by the storage's clock, or an earlier one
 */
record CleanupTask(EngineContext context, Supplier<Instant> storageTime) {
    private static final Logger log = LoggerFactory.getLogger(CleanupTask.class);
    private static final int ROUNDS_PER_RETENTION = 100;
    private static final Duration MIN_INTERVAL = Duration.ofMillis(100);
    private static final Duration MAX_INTERVAL = Duration.ofMinutes(1);
    private static final Duration MAX_PROOF_INTERVAL = Duration.ofHours(1);

    Duration interval() {
        return interval(context.options().finishedRetention(), MAX_INTERVAL);
    }

    /** Returns the interval of {@link #forgetProofs}, which reads all proofs. */
    Duration proofInterval() {
        return interval(context.options().proofRetention(), MAX_PROOF_INTERVAL);
    }

    private static Duration interval(Duration retention, Duration max) {
        return Bounds.clamp(retention.dividedBy(ROUNDS_PER_RETENTION), MIN_INTERVAL, max);
    }

    void cleanUp() {
        context.storageCalls().once("cleaning up", "", () -> {
            int partitions = context.storage().cleanUp(before(context.options().finishedRetention()));
            int workers = context.storage().expireWorkers();
            if (partitions + workers > 0) {
                log.debug(
                        "[{}] removed {} finished partitions and {} expired workers",
                        context.source().streamName(),
                        partitions,
                        workers);
            }
        });
    }

    void forgetProofs() {
        context.storageCalls().once("forgetting proofs", "", () -> {
            Instant before = before(context.options().proofRetention());
            int all = 0;
            for (int some = -1; some != 0; all += some) {
                some = context.storage().forgetProofs(before);
            }
            if (all > 0) {
                log.debug(
                        "[{}] removed {} proofs of partitions that finished before {}",
                        context.source().streamName(),
                        all,
                        before);
            }
        });
    }

    private Instant before(Duration retention) {
        return storageTime.get().minus(retention);
    }
}
