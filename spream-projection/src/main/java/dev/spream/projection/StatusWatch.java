package dev.spream.projection;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the state of a projection about once a second, since it is changed elsewhere, and brings it up to date if something has
 * happened here. On a thread of its own.
 */
final class StatusWatch {
    private static final Logger log = LoggerFactory.getLogger(StatusWatch.class);
    private static final long EVERY = TimeUnit.SECONDS.toNanos(1);
    private static final long BUILT_EVERY = TimeUnit.SECONDS.toNanos(5);
    private static final long PARKED_EVERY = TimeUnit.SECONDS.toNanos(5);
    private static final String READING = "reading its state";
    private static final String REPORTING = "reporting";

    private final ProjectionContext<?> context;
    private final RebuildLog rebuildLog;
    private final Keeper keeper;
    private long builtAt;
    private long parkedAt;
    private volatile boolean stopped;

    StatusWatch(ProjectionContext<?> context, Keeper keeper) {
        this.context = context;
        this.rebuildLog = new RebuildLog(context.manager().time());
        this.keeper = keeper;
    }

    /** Works until it is stopped. */
    void run() throws InterruptedException {
        while (!stopped) {
            read();
            report();
            built();
            context.parkedLog().summarize();
            context.conflictLog().summarize();
            keeper.checkLease();
            context.watchWake().await(EVERY);
        }
        report();
        built();
        context.parkedLog().end();
        context.conflictLog().end();
    }

    void stop() {
        stopped = true;
        context.watchWake().raise();
    }

    private void read() {
        ProjectionState before = context.state();
        boolean known = context.isKnown();
        Optional<ProjectionState> found;
        try {
            found = context.store().state(context.name());
            readParked();
        } catch (RuntimeException e) {
            context.troubles().outage(READING, e);
            return;
        }
        context.troubles().over(READING);
        if (found.isEmpty()) {
            return; // the version was dropped, and will be ended
        }
        ProjectionState state = found.get();
        context.read(state);
        if (!known || state.status() != before.status()) {
            log.info(
                    "[{}] the projection is {}",
                    context.name(),
                    context.version().text(state.status()));
            context.parkLimit().reset();
            context.tell(listener -> listener.statusChanged(context.name(), state.status()));
        }
        if (!known || state.status() != before.status() || state.epoch() != before.epoch()) {
            context.keeperWake().raise();
        }
    }

    /** Others park and retry as well, which may be known a few seconds later. */
    private void readParked() {
        if (context.takeParkedChanged() || context.now() - parkedAt >= PARKED_EVERY) {
            context.parked(context.store().parkedSummary(context.name()));
            parkedAt = context.now();
        }
    }

    /** Of a version that is not live, learns how far it is. */
    private void built() {
        boolean dealt = context.takeDealt();
        if (context.version().isLive() || (!dealt && isSettled())) {
            return;
        }
        builtAt = context.now();
        try {
            Optional<RebuildProgress> progress = context.store().built(context.version());
            context.rebuild(progress);
            progress.ifPresent(rebuildLog::say);
        } catch (RuntimeException e) {
            context.dealt();
            outage(e);
        }
    }

    /** Whether it was where the live one is a moment ago: if it has stopped there, the live one goes on without it. */
    private boolean isSettled() {
        return context.rebuild().filter(RebuildProgress::isCaughtUp).isPresent()
                && context.now() - builtAt < BUILT_EVERY;
    }

    private void report() {
        Troubles.Unreported unreported = context.troubles().unreported();
        boolean progressed = context.takeProgressed();
        if (!context.isKnown() || (!progressed && unreported.errors() == 0)) {
            return;
        }
        try {
            context.store().report(context.name(), unreported.errors(), lastError(unreported));
        } catch (RuntimeException e) {
            if (progressed) {
                context.progressed();
            }
            outage(e);
            return;
        }
        context.troubles().reported(unreported);
        context.troubles().over(REPORTING);
    }

    private void outage(RuntimeException e) {
        if (!context.isDropped()) {
            context.troubles().outage(REPORTING, e);
        }
    }

    private static Optional<String> lastError(Troubles.Unreported unreported) {
        return unreported.errors() == 0 ? Optional.empty() : unreported.lastError();
    }
}
