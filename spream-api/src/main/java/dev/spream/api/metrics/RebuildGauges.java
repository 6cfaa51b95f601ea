package dev.spream.api.metrics;

import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.RebuildProgress;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** How far a version of a projection is that is not live, until it is closed. Safe for use by many threads. */
final class RebuildGauges implements AutoCloseable {
    private static final double MILLIS = 1_000;

    private final MeterRegistry registry;
    private final String stateName;
    private final Supplier<List<ProjectionView>> views;
    private final List<Meter> meters = new ArrayList<>(); // filled by the constructor

    RebuildGauges(MeterRegistry registry, ProjectionVersion version, Supplier<List<ProjectionView>> views) {
        this.registry = registry;
        this.stateName = version.stateName();
        this.views = views;
        Tags tags = Tags.of("projection", version.projection(), "version", Integer.toString(version.version()));
        register(
                gauge(
                        "projection.rebuild.progress",
                        "How much is built of a version that is not live, 0 to 1; 1 if it is where the live one is.",
                        view -> ofProgress(view, RebuildProgress::share)),
                tags);
        register(
                gauge(
                        "projection.rebuild.rate",
                        "Events a second that are applied to a version that is not live, by all processes together.",
                        view -> ofProgress(view, progress -> progress.rate().orElse(Double.NaN))),
                tags);
        register(
                gauge(
                                "projection.rebuild.left",
                                "How long it takes until a version that is not live is where the live one is, if the rate stays; 0 if it is.",
                                view -> ofProgress(view, RebuildGauges::secondsLeft))
                        .baseUnit("seconds"),
                tags);
        register(
                gauge(
                        "projection.rebuild.failed",
                        "1 while a version that is not live has failed, else 0.",
                        view -> view.state().status() == ProjectionStatus.FAILED ? 1 : 0),
                tags);
    }

    private Gauge.Builder<Supplier<Number>> gauge(String name, String meaning, ToDoubleFunction<ProjectionView> value) {
        return Gauge.builder(name, () -> view(value)).description(meaning);
    }

    private void register(Gauge.Builder<Supplier<Number>> gauge, Tags tags) {
        meters.add(gauge.tags(tags).register(registry));
    }

    private Number view(ToDoubleFunction<ProjectionView> value) {
        return views.get().stream()
                .filter(view ->
                        !view.version().isLive() && view.version().stateName().equals(stateName))
                .mapToDouble(value)
                .findFirst()
                .orElse(Double.NaN);
    }

    private static double ofProgress(ProjectionView view, ToDoubleFunction<RebuildProgress> value) {
        Optional<RebuildProgress> progress = view.rebuild();
        return progress.isPresent() ? value.applyAsDouble(progress.get()) : Double.NaN;
    }

    private static double secondsLeft(RebuildProgress progress) {
        return progress.left()
                .map(Duration::toMillis)
                .map(left -> left / MILLIS)
                .orElse(Double.NaN);
    }

    /** They are gone from the registry. */
    @Override
    public void close() {
        meters.forEach(registry::remove);
    }
}
