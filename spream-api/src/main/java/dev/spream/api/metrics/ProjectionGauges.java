package dev.spream.api.metrics;

import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.ProjectionView;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The gauges of a projection: its live version as seen by its manager, its store as of the last sample, and its other
 * versions. Safe for use by many threads.
 */
final class ProjectionGauges {
    private final MeterRegistry registry;
    private final String projection;
    private final Supplier<List<ProjectionView>> views;
    private final Map<String, RebuildGauges> rebuilds = new HashMap<>(); // Guarded by this; by state name.
    volatile @Nullable ProjectionDetails details; // the last sample

    ProjectionGauges(MeterRegistry registry, String projection, Supplier<List<ProjectionView>> views) {
        this.registry = registry;
        this.projection = projection;
        this.views = views;
        Meters meters = new Meters(registry, Tags.of("projection", projection));
        meters.gauge(
                "projection.lag.events",
                "Known unprocessed events of the segments held by this process; for a source with positions an"
                        + " upper bound, taken from the segment that lags furthest.",
                () -> view(
                        view -> view.lagEvents().isPresent() ? view.lagEvents().getAsLong() : Double.NaN));
        meters.seconds(
                "projection.event.lag",
                "Age of the oldest unprocessed event known to this process, or time since it could last read the"
                        + " source; 0 if caught up.",
                () -> view(view -> Meters.seconds(view.lag())));
        meters.gauge(
                "projection.position",
                "Position up to which every event is processed, over all processes; 0 for sources without"
                        + " positions.",
                () -> view(view -> view.state().position()));
        meters.gauge(
                "projection.segments.held",
                "Segments that this process holds.",
                () -> view(ProjectionView::segmentsHeld));
        meters.gauge(
                "projection.outage",
                "1 while this process cannot reach the source or the store and retries, else 0.",
                () -> view(view -> view.outage().isPresent() ? 1 : 0));
        for (ProjectionStatus status : ProjectionStatus.values()) {
            meters.gauge(
                    "projection.status",
                    "1 for the current status of the projection, 0 for the others.",
                    () -> view(view -> view.state().status() == status ? 1 : 0),
                    "status",
                    Meters.tag(status));
        }
        meters.gauge("projection.parked.keys", "Parked aggregates.", () -> details(ProjectionDetails::parkedKeys));
        meters.gauge(
                "projection.parked.events",
                "Stored events of parked aggregates.",
                () -> details(ProjectionDetails::parkedEvents));
        meters.gauge(
                "projection.dead.letters",
                "Dead letters of the projection: events skipped by an operator and items that are no events.",
                () -> details(ProjectionDetails::deadLetters));
    }

    private double details(ToDoubleFunction<ProjectionDetails> value) {
        ProjectionDetails known = details;
        return known == null ? Double.NaN : value.applyAsDouble(known);
    }

    private double view(ToDoubleFunction<ProjectionView> value) {
        return views.get().stream()
                .filter(view ->
                        view.version().isLive() && view.version().projection().equals(projection))
                .mapToDouble(value)
                .findFirst()
                .orElse(Double.NaN);
    }

    synchronized void showRebuilds(Supplier<List<ProjectionVersion>> versions) {
        List<ProjectionVersion> now = versions.get();
        Set<String> names = now.stream().map(ProjectionVersion::stateName).collect(Collectors.toSet());
        rebuilds.entrySet().removeIf(known -> {
            boolean gone = !names.contains(known.getKey());
            if (gone) {
                known.getValue().close();
            }
            return gone;
        });
        now.forEach(version ->
                rebuilds.computeIfAbsent(version.stateName(), name -> new RebuildGauges(registry, version, views)));
    }
}
