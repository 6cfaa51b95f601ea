package dev.spream.api.metrics;

import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.ProjectionView;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How the live version of a projection is, as its manager sees it, and what its store has as it was last sampled; and how far its
 * other versions are. Safe for use by many threads.
 */
final class ProjectionGauges {
    private static final double MILLIS = 1_000;

    private final MeterRegistry registry;
    private final String projection;
    private final Supplier<List<ProjectionView>> views;
    private final Map<String, RebuildGauges> rebuilds = new HashMap<>(); // guarded by this, by the names of states
    private volatile @Nullable ProjectionDetails details;

    ProjectionGauges(MeterRegistry registry, String projection, Supplier<List<ProjectionView>> views) {
        this.registry = registry;
        this.projection = projection;
        this.views = views;
        Tags tags = Tags.of("projection", projection);
        ofView(
                "projection.lag.events",
                "Events that are not dealt with yet of the segments held here, as far as known; of a source with positions an upper bound, how far the furthest of them is behind.",
                tags,
                view -> view.lagEvents().isPresent() ? view.lagEvents().getAsLong() : Double.NaN);
        Gauge.builder("projection.event.lag", () -> view(ProjectionGauges::lagSeconds))
                .description(
                        "How long ago the oldest event occurred that is known here and not dealt with, or since when nobody here could look; 0 if caught up.")
                .baseUnit("seconds")
                .tags(tags)
                .register(registry);
        ofView(
                "projection.position",
                "Every event up to here is dealt with, whichever process did it; 0 for sources without positions.",
                tags,
                view -> view.state().position());
        ofView("projection.segments.held", "Segments that this process holds.", tags, ProjectionView::segmentsHeld);
        ofView(
                "projection.outage",
                "1 while this process cannot reach the source or the store and tries again, else 0.",
                tags,
                view -> view.outage().isPresent() ? 1 : 0);
        for (ProjectionStatus status : ProjectionStatus.values()) {
            ofView(
                    "projection.status",
                    "1 for the status that the projection has, 0 for the others.",
                    tags.and("status", status.name().toLowerCase(Locale.ROOT)),
                    view -> view.state().status() == status ? 1 : 0);
        }
        ofDetails("projection.parked.keys", "Aggregates that are parked.", tags, ProjectionDetails::parkedKeys);
        ofDetails(
                "projection.parked.events",
                "Events that are set aside for them.",
                tags,
                ProjectionDetails::parkedEvents);
        ofDetails(
                "projection.dead.letters",
                "What was skipped by hand, or was no event, and is kept.",
                tags,
                ProjectionDetails::deadLetters);
    }

    private static double lagSeconds(ProjectionView view) {
        return view.lag().map(lag -> lag.toMillis() / MILLIS).orElse(Double.NaN);
    }

    private void ofView(String name, String meaning, Tags tags, ToDoubleFunction<ProjectionView> value) {
        register(name, meaning, tags, () -> view(value));
    }

    private void ofDetails(String name, String meaning, Tags tags, ToDoubleFunction<ProjectionDetails> value) {
        register(name, meaning, tags, () -> {
            ProjectionDetails known = details;
            return known == null ? Double.NaN : value.applyAsDouble(known);
        });
    }

    private void register(String name, String meaning, Tags tags, DoubleSupplier value) {
        Gauge.builder(name, value::getAsDouble).description(meaning).tags(tags).register(registry);
    }

    private double view(ToDoubleFunction<ProjectionView> value) {
        return views.get().stream()
                .filter(view ->
                        view.version().isLive() && view.version().projection().equals(projection))
                .mapToDouble(value)
                .findFirst()
                .orElse(Double.NaN);
    }

    /** Shows how far those are and no others. */
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

    void sampled(ProjectionDetails now) {
        details = now;
    }

    void notSampled() {
        details = null;
    }
}
