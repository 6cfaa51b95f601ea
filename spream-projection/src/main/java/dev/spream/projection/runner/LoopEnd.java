package dev.spream.projection.runner;

import dev.spream.core.StorageException;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.VersionRole;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The consequences of a loop that cannot continue: an outage that another loop retries, the end of the version in this
 * process, or of the projection in all of them. Confined to the loop's thread.
 */
record LoopEnd(ManagerContext<?> manager, VersionStatus status, Assignment assignment) {
    private static final Logger log = LoggerFactory.getLogger(LoopEnd.class);

    /**
     * Reports the end, and stops what cannot continue.
     *
     * @param cancelled whether the loop was cancelled, so that an outage is meaningless
     */
    void ended(LoopExit end, ProjectionVersion version, boolean cancelled) {
        switch (end.reason()) {
            case FENCED -> status.watchWake.signal();
            case OUTAGE -> {
                if (!cancelled && !status.isDropped()) {
                    status.reporter.outage(assignment.label(), end.failure());
                }
            }
            case LOCAL -> endHere(end.failure(), version);
            case FATAL -> fail(end.failure());
        }
    }

    /**
     * Stops running the version in this process. If it is the live one, the manager ends, unless another version is
     * built here, which may become live instead.
     *
     * @throws ProjectionException to end the manager
     */
    private void endHere(Exception failure, ProjectionVersion version) {
        String error = ErrorText.of(manager.store(), failure);
        status.reporter.failed(FailureKind.LOCAL, failure);
        if (!status.endHere(error)) {
            return; // another segment's loop has said so
        }
        String message =
                "this process cannot run '%s': %s; it has released its segments, and other processes are not affected: fix the environment of this process and restart it"
                        .formatted(version.label(), error);
        if (version.isLive() && !isBuiltAnew(version)) {
            throw new ProjectionException(FailureKind.LOCAL, message, failure);
        }
        log.error("[{}] {}; other versions continue in this process", status.name, message);
    }

    private boolean isBuiltAnew(ProjectionVersion version) {
        try {
            return manager.store().versions(version.projection()).stream()
                    .anyMatch(other -> other.role() == VersionRole.CANDIDATE);
        } catch (RuntimeException e) {
            return false;
        }
    }

    private void fail(Exception failure) {
        String error = ErrorText.of(manager.store(), failure);
        status.reporter.failed(FailureKind.FATAL, failure);
        boolean stopped;
        try {
            stopped = manager.store().fail(assignment.fence(), assignment.epoch(), error);
        } catch (RuntimeException e) {
            status.reporter.outage(
                    assignment.label(), notStopped(error, e)); // the next loop fails the same way, and says so again
            return;
        }
        if (stopped) {
            log.error(
                    "[{}] the projection stops in all processes as FAILED until it is resumed: {}", status.name, error);
        } else {
            log.debug(
                    "[{}] {} failed fatally after the projection was stopped: {}",
                    status.name,
                    assignment.label(),
                    error);
        }
        status.watchWake.signal();
    }

    private static StorageException notStopped(String error, RuntimeException e) {
        return new StorageException(
                "the projection must be stopped (%s), but stopping it failed: %s".formatted(error, ErrorText.of(e)),
                true,
                e);
    }

    /** Returns an unexpected error as the failure of a store or a source. */
    static Exception broken(Throwable e) {
        return e instanceof StorageException storage
                ? storage
                : new StorageException(
                        "a store or a source violated its contract: "
                                + e.getClass().getName(),
                        true,
                        e);
    }
}
