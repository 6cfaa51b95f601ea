package dev.spream.projection.runner;

import dev.spream.core.DurationText;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.VersionRole;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the state of a projection about once a second, since other processes change it, and updates it after changes
 * made here. On a thread of its own.
 */
final class StatusWatch {
    private static final Logger log = LoggerFactory.getLogger(StatusWatch.class);
    private static final long EVERY = TimeUnit.SECONDS.toNanos(1);
    private static final long BUILT_EVERY = TimeUnit.SECONDS.toNanos(5);
    private static final long PARKED_EVERY = TimeUnit.SECONDS.toNanos(5);
    private static final String READING = "reading its state";
    private static final String REPORTING = "reporting";

    private final ManagerContext<?> manager;
    private final VersionStatus status;
    private final FailureHandling failures;
    private final RebuildLog rebuildLog;
    private final RunningVersion.Keeper keeper;
    private long builtAt;
    private long parkedAt;
    private volatile boolean stopped;

    StatusWatch(
            ManagerContext<?> manager, VersionStatus status, FailureHandling failures, RunningVersion.Keeper keeper) {
        this.manager = manager;
        this.status = status;
        this.failures = failures;
        this.rebuildLog = new RebuildLog(manager.time());
        this.keeper = keeper;
    }

    void run() throws InterruptedException {
        while (!stopped) {
            read();
            report();
            built();
            failures.parkedLog().summarize();
            failures.conflicts().summarize();
            keeper.checkLease();
            status.watchWake.await(EVERY);
        }
        report();
        built();
        failures.parkedLog().end();
        failures.conflicts().end();
    }

    void stop() {
        stopped = true;
        status.watchWake.signal();
    }

    private void read() {
        ProjectionState before = status.state();
        boolean known = status.isKnown();
        Optional<ProjectionState> found;
        try {
            found = manager.store().state(status.name);
            readParked();
        } catch (RuntimeException e) {
            status.reporter.outage(READING, e);
            return;
        }
        status.reporter.over(READING);
        if (found.isEmpty()) {
            return; // the version was dropped, and will be ended
        }
        ProjectionState state = found.get();
        status.read(state);
        if (!known || state.status() != before.status()) {
            log.info("[{}] the projection is {}", status.name, status.version().text(state.status()));
            failures.limit().reset();
            manager.tell(listener -> listener.statusChanged(status.name, state.status()));
        }
        if (!known || state.status() != before.status() || state.epoch() != before.epoch()) {
            status.keeperWake.signal();
        }
    }

    /**
     * Reads the summary of parked aggregates. Other processes park and retry as well, which may be visible a few
     * seconds later.
     */
    private void readParked() {
        if (status.parkedChanged.getAndSet(false) || manager.now() - parkedAt >= PARKED_EVERY) {
            status.parked(manager.store().parkedSummary(status.name));
            parkedAt = manager.now();
        }
    }

    /** Reads the progress of a version that is not live. */
    private void built() {
        boolean dealt = status.dealt.getAndSet(false);
        if (status.version().isLive() || (!dealt && isSettled())) {
            return;
        }
        builtAt = manager.now();
        try {
            Optional<RebuildProgress> progress = manager.store().built(status.version());
            status.rebuild(progress);
            progress.ifPresent(rebuildLog::say);
        } catch (RuntimeException e) {
            status.dealt.set(true);
            outage(e);
        }
    }

    /**
     * Returns whether it was at the position of the live version a moment ago: if it has stopped there, the live
     * version continues without it.
     */
    private boolean isSettled() {
        return status.rebuild().filter(RebuildProgress::isCaughtUp).isPresent()
                && manager.now() - builtAt < BUILT_EVERY;
    }

    private void report() {
        FailureReporter.Unreported unreported = status.reporter.unreported();
        boolean progressed = status.progressed.getAndSet(false);
        if (!status.isKnown() || (!progressed && unreported.errors() == 0)) {
            return;
        }
        try {
            manager.store().report(status.name, unreported.errors(), lastError(unreported));
        } catch (RuntimeException e) {
            if (progressed) {
                status.progressed.set(true);
            }
            outage(e);
            return;
        }
        status.reporter.reported(unreported);
        status.reporter.over(REPORTING);
    }

    private void outage(RuntimeException e) {
        if (!status.isDropped()) {
            status.reporter.outage(REPORTING, e);
        }
    }

    private static Optional<String> lastError(FailureReporter.Unreported unreported) {
        return unreported.errors() == 0 ? Optional.empty() : unreported.lastError();
    }

    /** Logs the progress of a version that is being built from time to time, and once when it has caught up. */
    private static final class RebuildLog {
        private static final long EVERY = TimeUnit.SECONDS.toNanos(10);

        private final MonotonicTime time;
        private long saidAt;
        private @Nullable RebuildProgress last;

        RebuildLog(MonotonicTime time) {
            this.time = time;
            this.saidAt = time.nanoTime();
        }

        void say(RebuildProgress progress) {
            RebuildProgress before = last;
            last = progress;
            String name = progress.version().stateName();
            if (progress.isCaughtUp()) {
                if (before == null || !before.isCaughtUp()) {
                    caughtUp(progress);
                }
            } else if (time.nanoTime() - saidAt >= EVERY) {
                saidAt = time.nanoTime();
                log.info(
                        "[{}] {}% built: {} events, {} a second, {} left",
                        name,
                        Math.floor(1_000 * progress.share()) / 10,
                        progress.applied(),
                        Math.round(progress.rate().orElse(0)),
                        progress.left().map(DurationText::of).orElse("an unknown time"));
            }
        }

        private static void caughtUp(RebuildProgress progress) {
            ProjectionVersion version = progress.version();
            if (progress.parked() > 0) {
                log.warn(
                        "[{}] has caught up with the live version after {} events, but {} aggregates are parked in it; they stay parked until an operator acts, and a cutover that would lose them is refused: see 'projection show {}@{}'",
                        version.stateName(),
                        progress.applied(),
                        progress.parked(),
                        version.projection(),
                        version.version());
            } else if (version.role() == VersionRole.CANDIDATE) {
                log.info(
                        "[{}] has caught up with the live version after {} events; make it live with 'projection cutover {}'",
                        version.stateName(),
                        progress.applied(),
                        version.projection());
            } else {
                log.info("[{}] has caught up with the live version", version.stateName());
            }
        }
    }
}
