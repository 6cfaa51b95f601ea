package dev.spream.api.metrics;

import static java.util.Objects.requireNonNull;

import dev.spream.projection.FailureKind;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.event.EventEnvelope;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * A {@link ProjectionListener} that publishes projections as meters of a Micrometer registry: counters and timers of
 * applied events, and gauges of progress and parked aggregates. Every meter has the tag {@code projection}. Event types
 * are values of a tag up to a limit; further ones share the value {@code other}. Ids of events and aggregates are in no
 * tag: {@code ./spream projection show} lists parked aggregates.
 *
 * <pre>{@code
 * ProjectionMetrics metrics = ProjectionMetrics.of(registry);
 * ProjectionManager<Connection> manager = ProjectionManager.builder(store).add(projection, events).listener(metrics).build();
 * metrics.watch(manager::views);
 * }</pre>
 *
 * <p>All meters describe the live version of a projection, except those named {@code projection.rebuild.*}: they
 * describe each other version that runs in this process, by the tag {@code version}.
 *
 * <p>The metrics make no queries. The gauges that need the store, such as those of parked aggregates, show the last
 * {@link ProjectionDetails} that were passed to {@link #sampled}. Safe for use by many threads.
 */
public final class ProjectionMetrics implements ProjectionListener {
    private static final Pattern VERSION = Pattern.compile("@[0-9]+$");

    private final MeterRegistry registry;
    private final Map<String, ProjectionCounters> counters = new ConcurrentHashMap<>();
    private final Map<String, ProjectionGauges> gauges = new ConcurrentHashMap<>();
    private final Map<String, ProjectionVersion> versions = new ConcurrentHashMap<>(); // by state name

    private ProjectionMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Creates a listener that publishes to the registry. */
    public static ProjectionMetrics of(MeterRegistry registry) {
        return new ProjectionMetrics(requireNonNull(registry, "registry"));
    }

    /**
     * Publishes the state of a manager's current projections whenever the registry is read. Their meters are registered
     * by this call.
     *
     * @param views such as {@code manager::views}
     */
    public void watch(Supplier<List<ProjectionView>> views) {
        for (ProjectionView view : views.get()) {
            String projection = view.version().projection();
            counters(projection);
            gauges.computeIfAbsent(projection, name -> new ProjectionGauges(registry, name, views));
            showRebuilds(projection);
        }
    }

    /**
     * Publishes a sample of the store of a watched projection, to be taken periodically from its operations. Versions
     * that are not live in this process are ignored.
     */
    public void sampled(ProjectionDetails details) {
        String state = details.state().projection();
        ProjectionVersion version = versions.get(state);
        ProjectionGauges known = gauges.get(VERSION.matcher(state).replaceFirst(""));
        if (known != null && (version == null || version.isLive())) {
            known.details = details;
        }
    }

    /** Marks the state of the store as unknown: its gauges are {@code NaN} until the next sample. */
    public void notSampled() {
        gauges.values().forEach(known -> known.details = null);
    }

    @Override
    public void versionsChanged(String projection, List<ProjectionVersion> now) {
        now.forEach(version -> versions.put(version.stateName(), version));
        versions.values().removeIf(version -> version.projection().equals(projection) && !now.contains(version));
        showRebuilds(projection);
    }

    private void showRebuilds(String projection) {
        ProjectionGauges known = gauges.get(projection);
        if (known != null) {
            known.showRebuilds(() -> versions.values().stream()
                    .filter(version -> version.projection().equals(projection) && !version.isLive())
                    .toList());
        }
    }

    @Override
    public void batchApplied(String projection, int applied, int duplicates, int parked, Duration took) {
        count(projection, live -> live.batch(applied, duplicates, parked, took));
    }

    @Override
    public void eventApplied(String projection, EventEnvelope event, Duration took) {
        count(projection, live -> live.event(event.eventType(), took));
    }

    @Override
    public void keyParked(String projection, String key, ParkDecision parking) {
        count(projection, live -> live.parkings.of(parking.reason()).increment());
    }

    @Override
    public void keyResumed(String projection, String key) {
        count(projection, live -> live.resumed.increment());
    }

    @Override
    public void failed(String projection, FailureKind kind, Exception failure) {
        count(projection, live -> live.errors.of(kind).increment());
    }

    @Override
    public void undecodable(String projection, String origin, String reason) {
        count(projection, live -> live.errors.of(ProjectionCounters.UNDECODABLE).increment());
    }

    @Override
    public void segmentLost(String projection, int segment) {
        count(projection, live -> live.segmentsLost.increment());
    }

    /** Counts an event of a live version. Events of unregistered versions are dropped. */
    private void count(String state, Consumer<ProjectionCounters> what) {
        ProjectionVersion version = versions.get(state);
        if (version != null ? version.isLive() : !VERSION.matcher(state).find()) {
            what.accept(counters(version == null ? state : version.projection()));
        }
    }

    private ProjectionCounters counters(String projection) {
        return counters.computeIfAbsent(projection, name -> new ProjectionCounters(registry, name));
    }
}
