package dev.spream.projection.runner;

import dev.spream.projection.ProjectionOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The judgement of failures of a version's events, for all of its loops: the kind of a failure, whether and how long an aggregate
 * is parked for it, and the reports of that. Safe for use by many threads.
 *
 * @param outages tells aggregates that fail from an outage of everything
 * @param brokenOff tells events that bring transactions down from an outage of the store
 * @param conflicts lines about batches that are repeated because of conflicts
 */
record FailureHandling(
        FailureClassifier judge,
        ParkPolicy policy,
        ParkLimit limit,
        OutageDetector outages,
        StoreAbortTracker brokenOff,
        ParkedLog parkedLog,
        RateLimitedLog conflicts,
        FailureReporter reporter) {
    private static final Logger log = LoggerFactory.getLogger(FailureHandling.class);

    static FailureHandling of(ManagerContext<?> manager, ProjectionOptions options, VersionStatus status) {
        return new FailureHandling(
                new FailureClassifier(manager.store()),
                new ParkPolicy(options, manager.random()),
                new ParkLimit(manager.store(), options, status),
                new OutageDetector(),
                new StoreAbortTracker(),
                new ParkedLog(status.name, manager.time()),
                new RateLimitedLog(
                        log,
                        status.name,
                        manager.time(),
                        Level.WARN,
                        "batches were rolled back because of a conflict, and repeated"),
                status.reporter);
    }
}
