package dev.spream.cli.http;

import dev.spream.api.metrics.ProjectionMetrics;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.VersionRole;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The meters of a projection that has not begun, and of a version of it that is built. */
final class SampleProjection {
    private static final ProjectionView VIEW = new ProjectionView(
            new ProjectionState(
                    "entries",
                    ProjectionStatus.RUNNING,
                    1,
                    4,
                    0,
                    Optional.empty(),
                    Optional.empty(),
                    0,
                    Optional.empty(),
                    Optional.empty(),
                    Instant.EPOCH),
            4,
            OptionalLong.of(0),
            Optional.of(Duration.ZERO),
            Optional.empty());

    private SampleProjection() {}

    static PrometheusMeterRegistry published() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        ProjectionMetrics metrics = ProjectionMetrics.of(registry);
        metrics.watch(() -> List.of(VIEW));
        metrics.versionsChanged(
                "entries",
                List.of(VIEW.version(), new ProjectionVersion("entries", 2, 1, VersionRole.CANDIDATE, 0, true)));
        return registry;
    }
}
