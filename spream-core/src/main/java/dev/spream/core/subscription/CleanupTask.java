package dev.spream.core.subscription;

import dev.spream.core.internal.Bounds;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The periodic removal of finished partitions and expired workers, so that the stored lineage does not grow without
 * bound. A round that fails is repeated at the next interval.
 *
 * @param storageTime the time by the storage's clock, or an earlier one
 */
record CleanupTask(EngineContext context, Supplier<Instant> storageTime) {
    private static final Logger log = LoggerFactory.getLogger(CleanupTask.class);
    private static final int ROUNDS_PER_RETENTION = 100;
    private static final Duration MIN_INTERVAL = Duration.ofMillis(100);
    private static final Duration MAX_INTERVAL = Duration.ofMinutes(1);

    Duration interval() {
        Duration interval = context.options().finishedRetention().dividedBy(ROUNDS_PER_RETENTION);
        return Bounds.clamp(interval, MIN_INTERVAL, MAX_INTERVAL);
    }

    void cleanUp() {
        context.storageCalls().once("cleaning up", "", () -> {
            Instant now = storageTime.get();
            int partitions =
                    context.storage().cleanUp(now.minus(context.options().finishedRetention()));
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
}
