package dev.spream.projection.runner;

import dev.spream.core.internal.Waiter;
import dev.spream.projection.ParkedSummary;
import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.VersionRole;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The state of a running version in this process: its role and state asthey were last read, the findings of its
 * threads, and the alarms that wake them. Safe for use by many threads.
 */
final class VersionStatus {
    final String name; // of its state
    final FailureReporter reporter;
    final SegmentLags lags = new SegmentLags();
    final Waiter watchWake;
    final Waiter keeperWake;

    /** Whether events were processed since the progress of the version was read. */
    final AtomicBoolean dealt = new AtomicBoolean();

    /** Whether something was written that the projection's row does not show yet. */
    final AtomicBoolean progressed = new AtomicBoolean();

    /** Whether aggregates were parked or resumed here since the summary was read. */
    final AtomicBoolean parkedChanged = new AtomicBoolean(true);

    private static final long ASK_EVERY = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLong nextQuestion;
    private volatile Set<Integer> due = Set.of(); // segments with due parked aggregates, as last read

    private final ManagerContext<?> manager;
    private final boolean positioned;
    private volatile ProjectionVersion version;
    private volatile ProjectionState state;
    private volatile boolean known;
    private volatile Optional<RebuildProgress> rebuild = Optional.empty();
    private volatile ParkedSummary parked = ParkedSummary.NONE;
    private volatile Optional<String> ended = Optional.empty();

    VersionStatus(ManagerContext<?> manager, ProjectionSetup<?> setup, ProjectionVersion version) {
        this.name = version.stateName();
        this.reporter = new FailureReporter(name, manager);
        this.watchWake = new Waiter(manager.time());
        this.keeperWake = new Waiter(manager.time());
        this.manager = manager;
        this.nextQuestion = new AtomicLong(manager.now());
        this.positioned = setup.source().positioned();
        this.version = version;
        this.state = unread(setup, version);
    }

    /** Returns the view of a projection until its versions are read for the first time. */
    static ProjectionView unread(ProjectionSetup<?> setup, Optional<String> outage) {
        Projection<?> projection = setup.projection();
        ProjectionVersion first =
                new ProjectionVersion(projection.name(), 1, projection.revision(), VersionRole.LIVE, 0, true);
        return new ProjectionView(
                first,
                unread(setup, first),
                0,
                OptionalLong.empty(),
                Optional.empty(),
                outage,
                Optional.empty(),
                ParkedSummary.NONE);
    }

    private static ProjectionState unread(ProjectionSetup<?> setup, ProjectionVersion version) {
        return new ProjectionState(
                version.stateName(),
                version.isLive() ? ProjectionStatus.RUNNING : ProjectionStatus.REBUILDING,
                0,
                setup.segments(),
                0,
                Optional.empty(),
                Optional.empty(),
                0,
                Optional.empty(),
                Optional.empty(),
                Instant.EPOCH);
    }

    /** Returns the version as last read; a loop may have read it later. */
    ProjectionVersion version() {
        return version;
    }

    void become(ProjectionVersion now) {
        if (version.role() != now.role()) {
            watchWake.signal();
        }
        version = now;
        if (now.isLive()) {
            rebuild = Optional.empty();
        }
    }

    /** Returns whether the version no longer exists, so that failures are meaningless. */
    boolean isDropped() {
        try {
            return known && manager.store().state(name).isEmpty();
        } catch (RuntimeException e) {
            return false;
        }
    }

    ProjectionState state() {
        return state;
    }

    void read(ProjectionState read) {
        state = read;
        known = true;
    }

    /** Returns whether its state was ever read. */
    boolean isKnown() {
        return known;
    }

    boolean isRunning() {
        return known && (state.status() == ProjectionStatus.RUNNING || state.status() == ProjectionStatus.REBUILDING);
    }

    /**
     * Returns whether a segment had due parked aggregates about a second ago. One of the loops reads this about once a
     * second for all of them, since usually none is due; the others do not wait for it.
     */
    boolean hasDue(int segment) {
        long now = manager.now();
        long next = nextQuestion.get();
        if (now - next >= 0 && nextQuestion.compareAndSet(next, now + ASK_EVERY)) {
            due = manager.store().dueSegments(name);
        }
        return due.contains(segment);
    }

    /** Returns the progress, as last read, of a version that is not live. */
    Optional<RebuildProgress> rebuild() {
        return rebuild;
    }

    void rebuild(Optional<RebuildProgress> progress) {
        rebuild = progress;
    }

    /** Sets the parked aggregates, as they were read. */
    void parked(ParkedSummary read) {
        parked = read;
    }

    /**
     * Stops running the version in this process, because the environment of the process is wrong; its keeper releases
     * its segments.
     *
     * @return false if it was stopped before
     */
    synchronized boolean endHere(String error) {
        boolean first = ended.isEmpty();
        ended = ended.or(() -> Optional.of("this process cannot run it: " + error));
        return first;
    }

    boolean hasEndedHere() {
        return ended.isPresent();
    }

    /** Removes a segment that is not read here now: its lag and failures are meaningless. */
    void forget(int segment, String label) {
        lags.forget(segment);
        reporter.forget(label);
    }

    ProjectionView view(int segmentsHeld) {
        SegmentLags.Furthest lag = lags.furthest(manager.instant(), segmentsHeld > 0 || !positioned);
        return new ProjectionView(
                version, state, segmentsHeld, lag.events(), lag.age(), ended.or(reporter::outage), rebuild, parked);
    }
}
