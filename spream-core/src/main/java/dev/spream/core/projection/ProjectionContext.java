package dev.spream.core.projection;

import dev.spream.core.internal.Alarm;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/** What the threads of one running projection share. Safe for use by many threads. */
final class ProjectionContext<T> {
    private final ManagerContext<T> manager;
    private final ProjectionSetup<T> setup;
    private final String name;
    private final ParkPolicy policy;
    private final BatchPlanner planner;
    private final EventWriter<T> writer;
    private final FailureJudge judge;
    private final Suspicion suspicion = new Suspicion();
    private final BrokenOff brokenOff = new BrokenOff();
    private final Troubles troubles;
    private final ParkedLog parkedLog;
    private final Alarm watchWake;
    private final Alarm keeperWake;
    private final Map<Integer, LagSample> lags = new ConcurrentHashMap<>();
    private volatile ProjectionState state;
    private volatile boolean known;
    private volatile boolean progressed;

    ProjectionContext(ManagerContext<T> manager, ProjectionSetup<T> setup) {
        this.manager = manager;
        this.setup = setup;
        this.name = setup.projection().name();
        this.policy = new ParkPolicy(setup.options(), manager.random());
        this.planner = new BatchPlanner(
                setup.projection().eventTypes(), setup.options().gaps(), policy);
        this.writer = EventWriter.of(setup.projection());
        this.judge = new FailureJudge(manager.store());
        this.troubles = new Troubles(name, manager);
        this.parkedLog = new ParkedLog(name, manager.time());
        this.watchWake = new Alarm(manager.time());
        this.keeperWake = new Alarm(manager.time());
        this.state = unread(setup);
    }

    /** The state until it is read for the first time. */
    static ProjectionState unread(ProjectionSetup<?> setup) {
        return new ProjectionState(
                setup.projection().name(),
                ProjectionStatus.RUNNING,
                0,
                segments(setup),
                0,
                Optional.empty(),
                Optional.empty(),
                0,
                Optional.empty(),
                Instant.EPOCH);
    }

    static int segments(ProjectionSetup<?> setup) {
        return setup.source().positioned() ? setup.options().segments() : 0;
    }

    String name() {
        return name;
    }

    ManagerContext<T> manager() {
        return manager;
    }

    ProjectionStore<T> store() {
        return manager.store();
    }

    ProjectionSetup<T> setup() {
        return setup;
    }

    ProjectionOptions options() {
        return setup.options();
    }

    ParkPolicy policy() {
        return policy;
    }

    BatchPlanner planner() {
        return planner;
    }

    EventWriter<T> writer() {
        return writer;
    }

    FailureJudge judge() {
        return judge;
    }

    Suspicion suspicion() {
        return suspicion;
    }

    BrokenOff brokenOff() {
        return brokenOff;
    }

    Troubles troubles() {
        return troubles;
    }

    ParkedLog parkedLog() {
        return parkedLog;
    }

    Alarm watchWake() {
        return watchWake;
    }

    Alarm keeperWake() {
        return keeperWake;
    }

    long now() {
        return manager.now();
    }

    void tell(Consumer<? super ProjectionListener> event) {
        if (manager.listening()) {
            manager.listeners().tell(event);
        }
    }

    ProjectionState state() {
        return state;
    }

    void read(ProjectionState read) {
        state = read;
        known = true;
    }

    /** Whether its state was ever read. */
    boolean isKnown() {
        return known;
    }

    boolean isRunning() {
        return known && state.status() == ProjectionStatus.RUNNING;
    }

    /** Something was written that the projection's row does not show yet. */
    void progressed() {
        progressed = true;
    }

    /** Whether there was something since the last call. */
    boolean takeProgressed() {
        boolean was = progressed;
        progressed = false;
        return was;
    }

    void lag(int segment, LagSample sample) {
        lags.put(segment, sample);
    }

    /** Nobody reads that here now: how far it was, and that it failed, says nothing any more. */
    void forget(int segment, String label) {
        lags.remove(segment);
        troubles.forget(label);
    }

    ProjectionView view(int segmentsHeld) {
        Collection<LagSample> samples = lags.values();
        Instant now = manager.clock().instant();
        return new ProjectionView(
                state,
                segmentsHeld,
                samples.isEmpty()
                        ? OptionalLong.empty()
                        : OptionalLong.of(samples.stream()
                                .mapToLong(LagSample::events)
                                .max()
                                .orElseThrow()),
                samples.stream()
                        .map(sample -> sample.age(now))
                        .max(Duration::compareTo)
                        .orElse(Duration.ZERO),
                troubles.outage());
    }
}
