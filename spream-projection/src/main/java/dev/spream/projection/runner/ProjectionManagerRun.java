package dev.spream.projection.runner;

import dev.spream.core.LoggedFailure;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.RunLifecycle;
import dev.spream.core.internal.SafeListeners;
import dev.spream.core.internal.TaskGroup;
import dev.spream.core.internal.Waiter;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionView;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of a manager: owns its threads, and ends when all of them have ended, or do not respond to interrupts. */
final class ProjectionManagerRun<T> implements RunLifecycle.Stoppable {
    /** The configuration of a manager. */
    record Setup<T>(
            ProjectionStore<T> store,
            ProjectionOwner owner,
            List<ProjectionSetup<T>> projections,
            List<ProjectionListener> listeners,
            MonotonicTime time,
            InstantSource clock,
            RandomGenerator random) {
        Setup {
            projections = List.copyOf(projections);
            listeners = List.copyOf(listeners);
        }

        /** Returns the projections grouped by name, in the order in which the names were first added. */
        List<List<ProjectionSetup<T>>> byName() {
            Map<String, List<ProjectionSetup<T>>> byName = new LinkedHashMap<>();
            projections.forEach(
                    setup -> byName.computeIfAbsent(setup.projection().name(), first -> new ArrayList<>())
                            .add(setup));
            return List.copyOf(byName.values());
        }
    }

    private static final Logger log = LoggerFactory.getLogger(ProjectionManagerRun.class);
    private static final long CANCEL_GRACE = TimeUnit.SECONDS.toNanos(10);
    private static final long CHECK = TimeUnit.MILLISECONDS.toNanos(100);

    private final ProjectionOwner owner;
    private final TaskGroup threads;
    private final List<RunningVersions<T>> projections = new ArrayList<>();
    private final Setup<T> setup;
    private final Waiter wake;
    private final MonotonicTime time;
    private final AtomicLong cancelBy; // the time until which interrupted batches are awaited; set before cancelled
    private volatile boolean stopping;
    private volatile boolean cancelled;

    ProjectionManagerRun(Setup<T> setup) {
        this.owner = setup.owner();
        this.time = setup.time();
        this.cancelBy = new AtomicLong(time.nanoTime() + Long.MAX_VALUE / 2);
        this.threads = new TaskGroup(time, this::failed);
        this.wake = new Waiter(time);
        ManagerContext<T> context = new ManagerContext<>(
                setup.store(),
                owner,
                new SafeListeners<>(setup.listeners()),
                !setup.listeners().isEmpty(),
                time,
                setup.clock(),
                setup.random(),
                threads);
        this.setup = setup;
        setup.byName().forEach(versions -> projections.add(new RunningVersions<>(context, versions)));
    }

    void run() {
        requireSourcesAsBefore();
        log.info("[{}] the projection manager {} has started", owner.name(), owner);
        projections.forEach(RunningVersions::start);
        boolean interrupted = false;
        while (true) {
            try {
                end();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
                cancel(RunLifecycle.CLOSE_WITHIN);
            }
        }
        log.info("[{}] the projection manager {} has ended", owner.name(), owner);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        threads.rethrow(t -> new IllegalStateException("the projection manager stopped because of a failure", t));
    }

    /**
     * Checks that stored projections have segments if their sources have positions. If the store cannot be reached,
     * each projection is checked later.
     *
     * @throws IllegalArgumentException if some do not
     */
    private void requireSourcesAsBefore() {
        List<String> problems = new ArrayList<>();
        for (ProjectionSetup<T> projection : setup.projections()) {
            Optional<ProjectionState> stored;
            try {
                stored = setup.store().state(projection.projection().name());
            } catch (RuntimeException e) {
                log.debug(
                        "[{}] projections are checked when the store can be reached",
                        owner.name(),
                        LoggedFailure.of(e));
                break;
            }
            try {
                stored.ifPresent(state -> state.requireSegments(projection.segments()));
            } catch (IllegalArgumentException e) {
                problems.add(String.valueOf(e.getMessage()));
            }
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    /** Ends the run. Every step may be repeated after an interrupt. */
    private void end() throws InterruptedException {
        while (!stopping) {
            wake.await(TimeUnit.HOURS.toNanos(1));
        }
        projections.forEach(RunningVersions::stop);
        while (!cancelled && !threads.join(CHECK)) {
            // until they have ended, or are to be interrupted
        }
        while (!threads.join(Math.min(CHECK, cancelBy.get() - time.nanoTime()))) {
            projections.forEach(RunningVersions::cancel);
            if (cancelBy.get() - time.nanoTime() <= 0) {
                log.error(
                        "[{}] projections or stores did not return when interrupted; the manager stops without them, and its leases expire",
                        owner.name());
                return;
            }
        }
    }

    /** Lets current batches finish, and ends. */
    @Override
    public void drain() {
        stopping = true;
        wake.signal();
    }

    /** Interrupts current batches, and ends. A repeated call, such as a close, does not put the end off. */
    @Override
    public void cancel(Duration within) {
        long by = time.nanoTime() + Math.min(CANCEL_GRACE, TimeUnit.NANOSECONDS.convert(within));
        cancelBy.accumulateAndGet(by, MonotonicTime::earlier);
        cancelled = true;
        drain();
    }

    List<ProjectionView> views() {
        return projections.stream()
                .flatMap(versions -> versions.views().stream())
                .toList();
    }

    /** Returns whether that is a thread of this run, such as one that calls a projection or a listener. */
    @Override
    public boolean isCalledBy(Thread thread) {
        return threads.runs(thread);
    }

    private void failed(Throwable failure) {
        log.error("[{}] the projection manager stops because of a failure", owner.name(), LoggedFailure.of(failure));
        drain();
    }
}
