package dev.spream.api.metrics;

import static java.util.Objects.requireNonNull;

import dev.spream.core.event.EventEnvelope;
import dev.spream.core.projection.FailureKind;
import dev.spream.core.projection.Parking;
import dev.spream.core.projection.ProjectionDetails;
import dev.spream.core.projection.ProjectionListener;
import dev.spream.core.projection.ProjectionView;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Publishes what projections do to a Micrometer registry. Every meter carries the tag {@code projection}; no tag ever names an
 * event or an aggregate: {@code ./spream projection show} does. Event types are told apart up to a number of them, those that
 * come after it share the tag's value {@code other}.
 *
 * <pre>{@code
 * ProjectionMetrics metrics = ProjectionMetrics.of(registry);
 * ProjectionManager<Connection> manager = ProjectionManager.builder(store).add(projection, events).listener(metrics).build();
 * metrics.watch(manager::views);
 * }</pre>
 *
 * <p>What is parked is not asked for by this: whoever samples it says so to {@link #sampled}. Safe for use by many threads.
 */
public final class ProjectionMetrics implements ProjectionListener {
    private final MeterRegistry registry;
    private final Map<String, ProjectionCounters> counters = new ConcurrentHashMap<>();
    private final Map<String, ProjectionGauges> gauges = new ConcurrentHashMap<>();

    private ProjectionMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /** A listener that publishes to the registry. */
    public static ProjectionMetrics of(MeterRegistry registry) {
        return new ProjectionMetrics(requireNonNull(registry, "registry"));
    }

    /**
     * Publishes how the projections of a manager are, whenever the registry is read, those that it has now. Their meters exist
     * from then on.
     *
     * @param views such as {@code manager::views}
     */
    public void watch(Supplier<List<ProjectionView>> views) {
        for (ProjectionView view : views.get()) {
            String projection = view.state().projection();
            counters(projection);
            gauges.computeIfAbsent(projection, name -> new ProjectionGauges(registry, name, views));
        }
    }

    /** What is in the store of a projection that is watched. To be called now and then, by whoever has its operations. */
    public void sampled(ProjectionDetails details) {
        ProjectionGauges known = gauges.get(details.state().projection());
        if (known != null) {
            known.sampled(details);
        }
    }

    /** What is in the store is not known any more: the gauges of it are {@code NaN} until the next sample. */
    public void notSampled() {
        gauges.values().forEach(ProjectionGauges::notSampled);
    }

    @Override
    public void batchApplied(String projection, int applied, int duplicates, int parked, Duration took) {
        counters(projection).batch(applied, duplicates, parked, took);
    }

    @Override
    public void eventApplied(String projection, EventEnvelope event, Duration took) {
        counters(projection).event(event.eventType(), took);
    }

    @Override
    public void keyParked(String projection, String key, Parking parking) {
        counters(projection).parked(parking.reason());
    }

    @Override
    public void keyResumed(String projection, String key) {
        counters(projection).resumed();
    }

    @Override
    public void failed(String projection, FailureKind kind, Exception failure) {
        counters(projection).failed(kind);
    }

    @Override
    public void undecodable(String projection, String origin, String reason) {
        counters(projection).undecodable();
    }

    @Override
    public void segmentLost(String projection, int segment) {
        counters(projection).segmentLost();
    }

    private ProjectionCounters counters(String projection) {
        return counters.computeIfAbsent(projection, name -> new ProjectionCounters(registry, name));
    }
}
