package dev.spream.api.metrics;

import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.RebuildProgress;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The gauges of a projection version that is not live. Safe for use by many threads. */
final class RebuildGauges implements AutoCloseable {
    private final MeterRegistry registry;
    private final String stateName;
    private final Supplier<List<ProjectionView>> views;
    private final List<Meter> meters;

    RebuildGauges(MeterRegistry registry, ProjectionVersion version, Supplier<List<ProjectionView>> views) {
        this.registry = registry;
        this.stateName = version.stateName();
        this.views = views;
        Meters ofVersion = new Meters(
                registry, Tags.of("projection", version.projection(), "version", Integer.toString(version.version())));
        this.meters = List.of(
                ofVersion.gauge(
                        "projection.rebuild.progress",
                        "Share of a candidate version that is built, 0 to 1; 1 if it is level with the live"
                                + " version.",
                        () -> progress(RebuildProgress::share)),
                ofVersion.gauge(
                        "projection.rebuild.rate",
                        "Events per second applied to a candidate version, over all processes.",
                        () -> progress(progress -> progress.rate().orElse(Double.NaN))),
                ofVersion.seconds(
                        "projection.rebuild.left",
                        "Estimated time until a candidate version is level with the live version, at the current"
                                + " rate; 0 if it is.",
                        () -> progress(progress -> Meters.seconds(progress.left()))),
                ofVersion.gauge(
                        "projection.rebuild.failed",
                        "1 while a candidate version has failed, else 0.",
                        () -> view(view -> view.state().status() == ProjectionStatus.FAILED ? 1 : 0)));
    }

    private double view(ToDoubleFunction<ProjectionView> value) {
        return views.get().stream()
                .filter(view ->
                        !view.version().isLive() && view.version().stateName().equals(stateName))
                .mapToDouble(value)
                .findFirst()
                .orElse(Double.NaN);
    }

    private double progress(ToDoubleFunction<RebuildProgress> value) {
        return view(view -> view.rebuild().map(value::applyAsDouble).orElse(Double.NaN));
    }

    /** Removes the gauges from the registry. */
    @Override
    public void close() {
        meters.forEach(registry::remove);
    }
}
