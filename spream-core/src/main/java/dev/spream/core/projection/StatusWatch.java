package dev.spream.core.projection;

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
    private static final String READING = "reading its state";
    private static final String REPORTING = "reporting";

    private final ProjectionContext<?> context;
    private final Keeper keeper;
    private volatile boolean stopped;

    StatusWatch(ProjectionContext<?> context, Keeper keeper) {
        this.context = context;
        this.keeper = keeper;
    }

    /** Works until it is stopped. */
    void run() throws InterruptedException {
        while (!stopped) {
            read();
            report();
            context.parkedLog().summarize();
            keeper.checkLease();
            context.watchWake().await(EVERY);
        }
        report();
        context.parkedLog().end();
    }

    void stop() {
        stopped = true;
        context.watchWake().raise();
    }

    private void read() {
        ProjectionState before = context.state();
        boolean known = context.isKnown();
        ProjectionState state;
        try {
            state = known ? context.store().state(context.name()).orElseGet(this::register) : register();
        } catch (IllegalArgumentException e) {
            throw e; // it cannot be run like this, and that will not pass
        } catch (RuntimeException e) {
            context.troubles().outage(READING, e);
            return;
        }
        context.troubles().over(READING);
        context.read(state);
        if (!known || state.status() != before.status()) {
            log.info("[{}] the projection is {}", context.name(), state.status());
            context.tell(listener -> listener.statusChanged(context.name(), state.status()));
        }
        if (!known || state.status() != before.status() || state.epoch() != before.epoch()) {
            context.keeperWake().raise();
        }
    }

    private ProjectionState register() {
        return context.store().register(context.name(), ProjectionContext.segments(context.setup()));
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
            context.troubles().outage(REPORTING, e);
            return;
        }
        context.troubles().reported(unreported);
        context.troubles().over(REPORTING);
    }

    private static Optional<String> lastError(Troubles.Unreported unreported) {
        return unreported.errors() == 0 ? Optional.empty() : unreported.lastError();
    }
}
