package dev.spream.projection.runner;

import dev.spream.core.LoggedFailure;
import dev.spream.core.internal.Waiter;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.ProjectionView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One projection of a running manager, with all versions whose code this manager has: reads the list of versions about
 * once a second, on a thread of its own, and runs each of them.
 */
final class RunningVersions<T> {
    private static final Logger log = LoggerFactory.getLogger(RunningVersions.class);
    private static final long EVERY = TimeUnit.SECONDS.toNanos(1);
    private static final String READING = "reading its versions";

    private final ManagerContext<T> manager;
    private final String name;
    private final Map<Integer, ProjectionSetup<T>> setups = new TreeMap<>(); // by revision
    private final FailureReporter reporter;
    private final Waiter wake;

    // Confined to the thread.
    private boolean registered;
    private List<ProjectionVersion> told = List.of();

    // Guarded by this.
    private final Map<Integer, RunningVersion<T>> running = new TreeMap<>();
    private boolean stopping;
    private boolean unknown; // whether no version has a revision that is here
    private int elsewhere; // the live version if it runs elsewhere only while others run here; otherwise 0

    RunningVersions(ManagerContext<T> manager, List<ProjectionSetup<T>> setups) {
        this.manager = manager;
        setups.forEach(setup -> this.setups.put(setup.projection().revision(), setup));
        this.name = setups.getFirst().projection().name();
        this.reporter = new FailureReporter(name, manager);
        this.wake = new Waiter(manager.time());
    }

    private ProjectionSetup<T> latest() {
        return List.copyOf(setups.values()).getLast();
    }

    void start() {
        manager.threads().start("spream-projection-" + name + "-versions", this::watch);
    }

    private void watch() throws InterruptedException {
        while (!isStopping()) {
            read();
            wake.await(EVERY);
        }
    }

    private void read() {
        List<ProjectionVersion> versions;
        try {
            register();
            versions = manager.store().versions(name);
        } catch (IllegalArgumentException e) {
            throw e; // the configuration is invalid, which is permanent
        } catch (RuntimeException e) {
            if (isRunning()) {
                log.debug(
                        "[{}] {} failed", name, READING, LoggedFailure.of(e)); // the running versions report it as well
            } else {
                reporter.outage(READING, e);
            }
            return;
        }
        reporter.over(READING);
        tell(here(versions));
        update(versions);
    }

    private void register() {
        if (!registered) {
            for (ProjectionSetup<T> setup : List.copyOf(setups.values()).reversed()) {
                ProjectionState state =
                        manager.store().register(name, setup.segments(), ProjectionCode.of(setup.projection()));
                warnIfOther(setup.segments(), state.segments());
            }
            registered = true;
        }
    }

    private void warnIfOther(int configured, int stored) {
        if (configured != stored) {
            log.warn(
                    "[{}] the projection keeps its {} segments; the configured number, {}, applies only to new projections: set projections.segments = {}, or change the projection by 'projection segments {} {}'",
                    name,
                    stored,
                    configured,
                    stored,
                    name,
                    configured);
        }
    }

    private synchronized List<ProjectionVersion> here(List<ProjectionVersion> versions) {
        return versions.stream()
                .filter(version -> running.containsKey(version.version()) || setups.containsKey(version.revision()))
                .toList();
    }

    /** Notifies listeners outside of the lock: a listener may ask for views. */
    private void tell(List<ProjectionVersion> versions) {
        if (!versions.equals(told)) {
            told = versions;
            manager.listeners().publish(listener -> listener.versionsChanged(name, versions));
        }
    }

    private synchronized void update(List<ProjectionVersion> versions) {
        if (stopping) {
            return;
        }
        for (ProjectionVersion version : versions) {
            RunningVersion<T> known = running.get(version.version());
            ProjectionSetup<T> setup = setups.get(version.revision());
            if (known != null) {
                known.become(version);
            } else if (setup != null) {
                RunningVersion<T> added = new RunningVersion<>(manager, setup, version);
                running.put(version.version(), added);
                added.start();
            }
        }
        Map<Integer, ProjectionVersion> there =
                versions.stream().collect(Collectors.toMap(ProjectionVersion::version, version -> version));
        running.entrySet().removeIf(entry -> {
            boolean dropped = !there.containsKey(entry.getKey());
            if (dropped) {
                entry.getValue().stop();
            }
            return dropped;
        });
        missing(versions);
        liveElsewhere(versions);
    }

    private void missing(List<ProjectionVersion> versions) {
        boolean before = unknown;
        unknown = running.isEmpty();
        if (unknown && !before) {
            log.warn(
                    "[{}] {}; existing versions have the revisions {}",
                    name,
                    remedy(),
                    versions.stream().map(ProjectionVersion::revision).toList());
        }
    }

    private void liveElsewhere(List<ProjectionVersion> versions) {
        int before = elsewhere;
        Optional<ProjectionVersion> live = versions.stream()
                .filter(ProjectionVersion::isLive)
                .filter(version -> !running.isEmpty() && !running.containsKey(version.version()))
                .findFirst();
        elsewhere = live.map(ProjectionVersion::version).orElse(0);
        if (elsewhere != 0 && elsewhere != before) {
            log.warn(
                    "[{}] the live version {} has revision {}, which this process does not have: it advances only where that revision runs, and versions that follow it wait; keep that revision running until another version is live",
                    name,
                    elsewhere,
                    live.get().revision());
        }
    }

    private String remedy() {
        int revision = latest().projection().revision();
        return "no version of the projection has revision %d, so this process applies nothing: start one with 'projection rebuild %s --revision %d'"
                .formatted(revision, name, revision);
    }

    private synchronized boolean isRunning() {
        return !running.isEmpty();
    }

    private synchronized boolean isStopping() {
        return stopping;
    }

    /** Lets loops finish their batches, and ends. */
    synchronized void stop() {
        stopping = true;
        running.values().forEach(RunningVersion::stop);
        wake.signal();
    }

    /** Interrupts loops, and ends. Interrupts outside of the lock, which views need. */
    void cancel() {
        stop();
        running().forEach(RunningVersion::cancel);
    }

    private synchronized List<RunningVersion<T>> running() {
        return List.copyOf(running.values());
    }

    /** Returns the view of each version that runs here, the live one first; or the reason why there is none. */
    synchronized List<ProjectionView> views() {
        if (running.isEmpty()) {
            return List.of(VersionStatus.unread(latest(), unknown ? Optional.of(remedy()) : reporter.outage()));
        }
        List<ProjectionView> views = new ArrayList<>();
        running.values().forEach(version -> views.add(version.view()));
        views.sort(Comparator.comparing(view -> !view.version().isLive()));
        return views;
    }
}
