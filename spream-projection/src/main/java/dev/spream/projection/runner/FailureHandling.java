package dev.spream.projection.runner;

import dev.spream.projection.ProjectionOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The handling of failures of a version's events, for all of its loops: the kind of a failure, whether and for how long
 * an aggregate is parked, and the reports of that. Safe for use by many threads.
 *
 * @param outages distinguishes failing aggregates from an outage
 * @param brokenOff distinguishes events that abort transactions from an outage of the store
 * @param conflicts the log of batches that are repeated because of conflicts
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
                        "batches were rolled back because of a conflict and repeated"),
                status.reporter);
    }
}
