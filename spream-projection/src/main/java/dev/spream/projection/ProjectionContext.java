package dev.spream.projection;

import dev.spream.core.internal.Alarm;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** What the threads of one running version of a projection share. Safe for use by many threads. */
final class ProjectionContext<T> {
    private final ManagerContext<T> manager;
    private final ProjectionSetup<T> setup;
    private final Projection<? super T> projection;
    private final String name;
    private final ParkPolicy policy;
    private final EventWriter<T> writer;
    private final FailureJudge judge;
    private final Suspicion suspicion = new Suspicion();
    private final BrokenOff brokenOff = new BrokenOff();
    private final ParkLimit parkLimit = new ParkLimit(this);
    private final Troubles troubles;
    private final ParkedLog parkedLog;
    private final ConflictLog conflictLog;
    private final DueSegments dueSegments;
    private final Alarm watchWake;
    private final Alarm keeperWake;
    private final SegmentLags lags = new SegmentLags();
    private final AtomicBoolean dealt = new AtomicBoolean(); // with events since the version's progress was read
    private volatile BatchPlanner planner;
    private volatile ProjectionVersion version;
    private volatile Optional<RebuildProgress> rebuild = Optional.empty();
    private volatile ProjectionState state;
    private volatile ParkedSummary parked = ParkedSummary.NONE;
    private volatile boolean parkedChanged = true;
    private volatile Optional<String> ended = Optional.empty();
    private volatile boolean known;
    private volatile boolean progressed;

    ProjectionContext(ManagerContext<T> manager, ProjectionSetup<T> setup, ProjectionVersion version) {
        this.manager = manager;
        this.setup = setup;
        this.projection = setup.projection().ofVersion(version.version());
        this.version = version;
        this.name = version.stateName();
        this.policy = new ParkPolicy(setup.options(), manager.random());
        this.planner = new BatchPlanner(projection.eventTypes(), setup.options().gaps(), policy, version.from() > 0);
        this.writer = EventWriter.of(projection);
        this.judge = new FailureJudge(manager.store());
        this.troubles = new Troubles(name, manager);
        this.parkedLog = new ParkedLog(name, manager.time());
        this.conflictLog = new ConflictLog(name, manager.time());
        this.dueSegments = new DueSegments(this);
        this.watchWake = new Alarm(manager.time());
        this.keeperWake = new Alarm(manager.time());
        this.state = unread(setup, version);
    }

    /** How it is until its versions are read for the first time. */
    static ProjectionView unread(ProjectionSetup<?> setup) {
        Projection<?> projection = setup.projection();
        ProjectionVersion first =
                new ProjectionVersion(projection.name(), 1, projection.revision(), VersionRole.LIVE, 0, true);
        return new ProjectionView(
                first,
                unread(setup, first),
                0,
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                ParkedSummary.NONE);
    }

    private static ProjectionState unread(ProjectionSetup<?> setup, ProjectionVersion version) {
        return new ProjectionState(
                version.stateName(),
                version.isLive() ? ProjectionStatus.RUNNING : ProjectionStatus.REBUILDING,
                0,
                segments(setup),
                0,
                Optional.empty(),
                Optional.empty(),
                0,
                Optional.empty(),
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

    /** Events are passed over that are skipped without being tried: the versions of each aggregate. */
    void skip(Map<String, Set<Long>> events) {
        planner = planner.skipping(events);
    }

    /**
     * What writes events.
     *
     * @param version as the loop knows it that writes
     * @param followed up to which version side effects have followed
     */
    EventWriter<T> writer(ProjectionVersion version, long followed) {
        return version.isLive() && projection instanceof SideEffects<?> effects
                ? EventWriter.following(writer, inItsTransactions(effects), followed)
                : writer;
    }

    @SuppressWarnings("unchecked") // they are the projection's, which works in these transactions
    private static <T> SideEffects<T> inItsTransactions(SideEffects<?> effects) {
        return (SideEffects<T>) effects;
    }

    /** The projection as it writes this version. */
    Projection<? super T> projection() {
        return projection;
    }

    /** Whether versions of its read model can be told apart. */
    boolean isVersioned() {
        return projection instanceof RebuildableProjection<?> || !projection.equals(setup.projection());
    }

    /** As it was last read; a loop knows better. */
    ProjectionVersion version() {
        return version;
    }

    void become(ProjectionVersion now) {
        version = now;
        if (now.isLive()) {
            rebuild = Optional.empty();
        }
    }

    /** Whether the version is not there any more, so that what fails says nothing. */
    boolean isDropped() {
        try {
            return known && store().state(name).isEmpty();
        } catch (RuntimeException e) {
            return false;
        }
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

    ParkLimit parkLimit() {
        return parkLimit;
    }

    Troubles troubles() {
        return troubles;
    }

    ParkedLog parkedLog() {
        return parkedLog;
    }

    ConflictLog conflictLog() {
        return conflictLog;
    }

    DueSegments dueSegments() {
        return dueSegments;
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

    /** The time of day, for how long ago events occurred. */
    Instant instant() {
        return manager.clock().instant();
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
        return known && (state.status() == ProjectionStatus.RUNNING || state.status() == ProjectionStatus.REBUILDING);
    }

    /** Events were dealt with. */
    void dealt() {
        dealt.set(true);
    }

    /** Whether some were since the last call. */
    boolean takeDealt() {
        return dealt.getAndSet(false);
    }

    void rebuild(Optional<RebuildProgress> progress) {
        rebuild = progress;
    }

    Optional<RebuildProgress> rebuild() {
        return rebuild;
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

    /** Something was parked here, or is parked no more. */
    void parkedChanged() {
        parkedChanged = true;
    }

    /** Whether that was so since the last call. */
    boolean takeParkedChanged() {
        boolean was = parkedChanged;
        parkedChanged = false;
        return was;
    }

    /** What is parked, as it was read. */
    void parked(ParkedSummary read) {
        parked = read;
    }

    /**
     * The version is run by this process no longer, since what is around the process is wrong; its keeper gives up what it holds.
     *
     * @return false if that was so before
     */
    synchronized boolean endHere(String error) {
        boolean first = ended.isEmpty();
        ended = ended.or(() -> Optional.of("this process cannot run it: " + error));
        return first;
    }

    boolean hasEndedHere() {
        return ended.isPresent();
    }

    SegmentLags lags() {
        return lags;
    }

    /** Nobody reads that here now: how far it was, and that it failed, says nothing any more. */
    void forget(int segment, String label) {
        lags.forget(segment);
        troubles.forget(label);
    }

    ProjectionView view(int segmentsHeld) {
        SegmentLags.Furthest lag = lags.furthest(instant(), segmentsHeld > 0 || segments(setup) == 0);
        return new ProjectionView(
                version, state, segmentsHeld, lag.events(), lag.age(), ended.or(troubles::outage), rebuild, parked);
    }
}
