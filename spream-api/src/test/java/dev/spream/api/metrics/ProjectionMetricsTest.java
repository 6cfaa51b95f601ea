package dev.spream.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.FailureKind;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedSummary;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.VersionRole;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class ProjectionMetricsTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final ProjectionView CAUGHT_UP =
            view(ProjectionStatus.RUNNING, OptionalLong.of(0), Optional.of(Duration.ZERO));

    private static final ProjectionVersion FIRST = new ProjectionVersion("entries", 1, 1, VersionRole.LIVE, 0, true);
    private static final ProjectionVersion SECOND =
            new ProjectionVersion("entries", 2, 1, VersionRole.CANDIDATE, 0, true);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ProjectionMetrics metrics = ProjectionMetrics.of(registry);
    private ProjectionView now = CAUGHT_UP;

    @Test
    void batches_failures_and_dead_letters_are_counted() {
        metrics.batchApplied("entries", 7, 2, 1, Duration.ofMillis(30));
        metrics.failed("entries", FailureKind.TRANSIENT, new IllegalStateException("no"));
        metrics.failed("entries", FailureKind.POISON, new IllegalStateException("no"));
        metrics.failed("entries", FailureKind.POISON, new IllegalStateException("no"));
        metrics.undecodable("entries", "message 7", "no JSON");
        metrics.keyParked(
                "entries", "word-1", new ParkDecision(ParkReason.GAP, 0, "version 3 is missing", Optional.empty()));
        metrics.keyResumed("entries", "word-1");
        metrics.segmentLost("entries", 3);
        assertThat(counter("projection.events", "outcome", "applied")).isEqualTo(7);
        assertThat(counter("projection.events", "outcome", "duplicate")).isEqualTo(2);
        assertThat(counter("projection.events", "outcome", "parked")).isEqualTo(1);
        assertThat(counter("projection.errors", "error_type", "transient")).isEqualTo(1);
        assertThat(counter("projection.errors", "error_type", "poison")).isEqualTo(2);
        assertThat(counter("projection.errors", "error_type", "fatal")).isZero();
        assertThat(counter("projection.errors", "error_type", "undecodable")).isEqualTo(1);
        assertThat(counter("projection.keys.parked", "reason", "gap")).isEqualTo(1);
        assertThat(counter("projection.keys.resumed")).isEqualTo(1);
        assertThat(counter("projection.segments.lost")).isEqualTo(1);
        assertThat(registry.get("projection.batch.size").summary().max()).isEqualTo(10);
        assertThat(registry.get("projection.batch.duration").timer().totalTime(TimeUnit.MILLISECONDS))
                .isEqualTo(30);
    }

    @Test
    void event_types_beyond_a_number_of_them_share_a_tag() {
        for (int i = 0; i < ProjectionCounters.MAX_EVENT_TYPES + 10; i++) {
            metrics.eventApplied("entries", event("Type" + i), Duration.ofMillis(1));
            metrics.eventApplied("entries", event("Type0"), Duration.ofMillis(1));
        }
        assertThat(registry.find("projection.event.processing.duration").timers())
                .hasSize(ProjectionCounters.MAX_EVENT_TYPES + 1);
        assertThat(timed("Type0")).isEqualTo(ProjectionCounters.MAX_EVENT_TYPES + 11L);
        assertThat(timed("other")).isEqualTo(10);
    }

    private long timed(String eventType) {
        return registry.get("projection.event.processing.duration")
                .tags("projection", "entries", "event_type", eventType)
                .timer()
                .count();
    }

    @Test
    void gauges_of_a_projection_follow_the_views_of_the_manager() {
        metrics.watch(() -> List.of(now));
        assertThat(gauge("projection.event.lag")).isZero();
        assertThat(gauge("projection.lag.events")).isZero();
        assertThat(gauge("projection.position")).isEqualTo(42);
        assertThat(gauge("projection.segments.held")).isEqualTo(4);
        assertThat(gauge("projection.outage")).isZero();
        assertThat(status("running")).isEqualTo(1);

        now = view(ProjectionStatus.FAILED, OptionalLong.of(9), Optional.of(Duration.ofMillis(1_500)));
        assertThat(gauge("projection.event.lag")).isEqualTo(1.5);
        assertThat(gauge("projection.lag.events")).isEqualTo(9);
        assertThat(status("running")).isZero();
        assertThat(status("failed")).isEqualTo(1);

        now = view(ProjectionStatus.RUNNING, OptionalLong.empty(), Optional.of(Duration.ofMinutes(9)));
        assertThat(gauge("projection.event.lag")).isEqualTo(540);
        assertThat(gauge("projection.lag.events")).isNaN();

        now = view(ProjectionStatus.RUNNING, OptionalLong.empty(), Optional.empty());
        assertThat(gauge("projection.event.lag")).isNaN();
        assertThat(gauge("projection.lag.events")).isNaN();
    }

    @Test
    void gauges_of_parked_aggregates_have_values_while_samples_arrive() {
        metrics.watch(() -> List.of(now));
        assertThat(gauge("projection.parked.keys")).isNaN();
        metrics.sampled(new ProjectionDetails(now.state(), List.of(), 2, 17, 5));
        assertThat(gauge("projection.parked.keys")).isEqualTo(2);
        assertThat(gauge("projection.parked.events")).isEqualTo(17);
        assertThat(gauge("projection.dead.letters")).isEqualTo(5);
        metrics.notSampled();
        assertThat(gauge("projection.parked.keys")).isNaN();
    }

    @Test
    void counters_count_the_work_of_the_live_version() {
        metrics.watch(() -> List.of(now));
        metrics.versionsChanged("entries", List.of(FIRST, SECOND));
        metrics.batchApplied("entries", 7, 0, 0, Duration.ofMillis(30));
        metrics.batchApplied("entries@2", 10_000, 0, 0, Duration.ofMillis(30));
        metrics.eventApplied("entries@2", event("EntryCreated"), Duration.ofMillis(1));
        metrics.failed("entries@2", FailureKind.POISON, new IllegalStateException("no"));
        assertThat(counter("projection.events", "outcome", "applied")).isEqualTo(7);
        assertThat(counter("projection.errors", "error_type", "poison")).isZero();

        metrics.versionsChanged("entries", List.of(retired(FIRST), live(SECOND)));
        metrics.batchApplied("entries", 50, 0, 0, Duration.ofMillis(30));
        metrics.batchApplied("entries@2", 3, 0, 0, Duration.ofMillis(30));
        assertThat(counter("projection.events", "outcome", "applied")).isEqualTo(10);

        metrics.versionsChanged("entries", List.of(live(SECOND)));
        metrics.batchApplied("entries@3", 1_000, 0, 0, Duration.ofMillis(30));
        assertThat(registry.find("projection.events").counters())
                .allSatisfy(counter ->
                        assertThat(counter.getId().getTag("projection")).isEqualTo("entries"));
    }

    @Test
    void a_version_that_is_built_has_meters_until_it_is_live_or_dropped() {
        AtomicReference<List<ProjectionView>> views =
                new AtomicReference<>(List.of(CAUGHT_UP, built(ProjectionStatus.REBUILDING, 500)));
        metrics.versionsChanged("entries", List.of(FIRST, SECOND));
        metrics.watch(views::get);
        assertThat(rebuild("progress")).isEqualTo(0.25);
        assertThat(rebuild("rate")).isEqualTo(500);
        assertThat(rebuild("left")).isEqualTo(3);
        assertThat(rebuild("failed")).isZero();
        assertThat(status("running")).isEqualTo(1);
        assertThat(gauge("projection.position")).isEqualTo(42);

        views.set(List.of(CAUGHT_UP, built(ProjectionStatus.FAILED, 0)));
        assertThat(rebuild("failed")).isEqualTo(1);
        assertThat(rebuild("rate")).isZero();
        assertThat(rebuild("left")).isNaN();
        assertThat(status("failed")).isZero();

        metrics.versionsChanged("entries", List.of(retired(FIRST), live(SECOND)));
        assertThat(registry.find("projection.rebuild.progress").gauges())
                .extracting(gauge -> gauge.getId().getTag("version"))
                .containsExactly("1");
        metrics.versionsChanged("entries", List.of(live(SECOND)));
        assertThat(registry.getMeters())
                .extracting(meter -> meter.getId().getName())
                .noneMatch(name -> name.startsWith("projection.rebuild"));
    }

    private double rebuild(String what) {
        return registry.get("projection.rebuild." + what)
                .tags("projection", "entries", "version", "2")
                .gauge()
                .value();
    }

    @Test
    void gauges_of_parked_aggregates_are_those_of_the_live_version() {
        metrics.watch(() -> List.of(now));
        metrics.versionsChanged("entries", List.of(retired(FIRST), live(SECOND)));
        metrics.sampled(new ProjectionDetails(state("entries@2", ProjectionStatus.RUNNING), List.of(), 2, 17, 5));
        metrics.sampled(new ProjectionDetails(state("entries", ProjectionStatus.REBUILDING), List.of(), 9, 9, 9));
        assertThat(gauge("projection.parked.keys")).isEqualTo(2);
    }

    @Test
    void prometheus_gets_the_names_that_dashboards_know() {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        ProjectionMetrics published = ProjectionMetrics.of(prometheus);
        published.watch(() -> List.of(now));
        published.eventApplied("entries", event("EntryCreated"), Duration.ofMillis(1));
        assertThat(prometheus.scrape())
                .contains(
                        "projection_event_processing_duration_seconds_count{event_type=\"EntryCreated\",projection=\"entries\"} 1",
                        "projection_event_lag_seconds{projection=\"entries\"} 0.0",
                        "projection_errors_total{error_type=\"fatal\",projection=\"entries\"} 0.0");
    }

    private double counter(String name, String... tags) {
        return registry.get(name)
                .tags("projection", "entries")
                .tags(tags)
                .counter()
                .count();
    }

    private double gauge(String name) {
        return registry.get(name).tags("projection", "entries").gauge().value();
    }

    private double status(String status) {
        return registry.get("projection.status").tags("status", status).gauge().value();
    }

    private static EventEnvelope event(String type) {
        return new EventEnvelope("e-1", "word-1", type, "{}", 1, AT, EventMetadata.NONE);
    }

    private static ProjectionView view(ProjectionStatus status, OptionalLong lagEvents, Optional<Duration> lag) {
        return new ProjectionView(state("entries", status), 4, lagEvents, lag, Optional.empty());
    }

    private static ProjectionView built(ProjectionStatus status, double rate) {
        return new ProjectionView(
                SECOND,
                state("entries@2", status),
                4,
                OptionalLong.of(1_500),
                Optional.of(Duration.ofDays(1)),
                Optional.of("no database"),
                Optional.of(new RebuildProgress(SECOND, AT, 500, 500, 2_000, 0, 0, OptionalDouble.of(rate))),
                ParkedSummary.NONE);
    }

    private static ProjectionState state(String name, ProjectionStatus status) {
        return new ProjectionState(
                name, status, 1, 4, 42, Optional.of("e-7"), Optional.of(AT), 0, Optional.empty(), Optional.empty(), AT);
    }

    private static ProjectionVersion live(ProjectionVersion version) {
        return withRole(version, VersionRole.LIVE);
    }

    private static ProjectionVersion retired(ProjectionVersion version) {
        return withRole(version, VersionRole.RETIRED);
    }

    private static ProjectionVersion withRole(ProjectionVersion version, VersionRole role) {
        return new ProjectionVersion(version.projection(), version.version(), version.revision(), role, 0, true);
    }
}
