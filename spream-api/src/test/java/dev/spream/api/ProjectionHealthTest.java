package dev.spream.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.ProjectionHealth.Status;
import dev.spream.core.record.JsonObject;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ParkedSummary;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.VersionRole;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class ProjectionHealthTest {
    private static final Instant AT = Instant.parse("2026-01-01T00:00:00Z");
    private static final ProjectionView RUNNING = view("entries", ProjectionStatus.RUNNING, 1, Optional.empty());

    @Test
    void a_running_projection_is_healthy_and_ready() {
        assertThat(health(RUNNING)).returns(Status.HEALTHY, ProjectionHealth::status);
        assertThat(health(RUNNING).isReady()).isTrue();
        assertThat(health().status()).isEqualTo(Status.HEALTHY);
    }

    @Test
    void a_paused_projection_is_degraded_and_ready() {
        ProjectionHealth paused = health(RUNNING, view("search", ProjectionStatus.PAUSED, 2, Optional.empty()));
        assertThat(paused.status()).isEqualTo(Status.DEGRADED);
        assertThat(paused.isReady()).isTrue();
    }

    @Test
    void a_projection_that_is_unread_or_in_an_outage_is_not_ready() {
        ProjectionHealth unread = health(view("entries", ProjectionStatus.RUNNING, 0, Optional.empty()));
        ProjectionHealth cutOff = health(view("entries", ProjectionStatus.RUNNING, 1, Optional.of("no database")));
        for (ProjectionHealth health : List.of(unread, cutOff)) {
            assertThat(health.status()).isEqualTo(Status.DEGRADED);
            assertThat(health.isReady()).isFalse();
        }
    }

    @Test
    void a_failed_projection_is_unhealthy_and_not_ready() {
        ProjectionHealth failed = health(RUNNING, view("search", ProjectionStatus.FAILED, 2, Optional.empty()));
        assertThat(failed.status()).isEqualTo(Status.UNHEALTHY);
        assertThat(failed.isReady()).isFalse();
    }

    @Test
    void it_is_written_as_json_without_what_events_and_errors_contain() {
        String json = new ProjectionHealth(
                        List.of(RUNNING, view("search", ProjectionStatus.RUNNING, 1, Optional.of("secret"))), 0.25)
                .json();
        assertThat(json).doesNotContain("secret");
        JsonObject health = JsonObject.of(json);
        assertThat(health.string("status")).contains("degraded");
        assertThat(health.get("ready")).isEqualTo(false);
        assertThat(String.valueOf(health.get("lag_seconds"))).isEqualTo("2.5");
        assertThat(String.valueOf(health.get("error_rate"))).isEqualTo("0.25");
        JsonObject entries =
                health.object("projections").orElseThrow().object("entries").orElseThrow();
        assertThat(entries.string("status")).contains("running");
        assertThat(entries.string("last_processed_event")).contains("e-7");
        assertThat(entries.string("last_processed_at")).contains(AT.toString());
        assertThat(entries.int64("error_count")).hasValue(3);
        assertThat(entries.int64("position")).hasValue(42);
        assertThat(entries.int64("lag_events")).hasValue(5);
        assertThat(entries.get("outage")).isEqualTo(false);
    }

    @Test
    void parked_aggregates_degrade_the_health_and_are_no_part_of_the_lag() {
        ProjectionView caughtUp = new ProjectionView(
                RUNNING.version(),
                RUNNING.state(),
                4,
                OptionalLong.of(0),
                Optional.of(Duration.ZERO),
                Optional.empty(),
                Optional.empty(),
                new ParkedSummary(2, 17, 1, Optional.of("secret error"), Optional.of(Duration.ofSeconds(90))));
        assertThat(health(caughtUp).status()).isEqualTo(Status.DEGRADED);
        assertThat(health(caughtUp).isReady()).isTrue();
        JsonObject health = JsonObject.of(health(caughtUp).json());
        assertThat(health.toString()).doesNotContain("secret");
        assertThat(String.valueOf(health.get("lag_seconds"))).isEqualTo("0.0");
        assertThat(health.int64("parked_events")).hasValue(17);
        JsonObject entries =
                health.object("projections").orElseThrow().object("entries").orElseThrow();
        assertThat(entries.int64("parked_aggregates")).hasValue(2);
        assertThat(entries.int64("parked_events")).hasValue(17);
        assertThat(String.valueOf(entries.get("parked_seconds"))).isEqualTo("90.0");
    }

    @Test
    void the_lag_of_a_paused_projection_is_unknown() {
        ProjectionView paused =
                new ProjectionView(RUNNING.state(), 0, OptionalLong.empty(), Optional.empty(), Optional.empty());
        assertThat(health(paused).lag()).isEmpty();
        JsonObject health = JsonObject.of(health(paused).json());
        assertThat(health.get("lag_seconds")).isNull();
        JsonObject entries =
                health.object("projections").orElseThrow().object("entries").orElseThrow();
        assertThat(entries.get("lag_events")).isNull();
        assertThat(entries.get("lag_seconds")).isNull();
    }

    @Test
    void a_caught_up_projection_does_not_hide_the_unknown_lag_of_another() {
        ProjectionView unknown =
                new ProjectionView(RUNNING.state(), 4, OptionalLong.empty(), Optional.empty(), Optional.empty());
        ProjectionView caughtUp = new ProjectionView(
                RUNNING.state(), 4, OptionalLong.of(0), Optional.of(Duration.ZERO), Optional.empty());
        assertThat(health(caughtUp).lag()).hasValue(Duration.ZERO);
        assertThat(health(caughtUp, unknown).lag()).isEmpty();
        assertThat(health(RUNNING, unknown).lag()).isEqualTo(RUNNING.lag());
    }

    @Test
    void a_projection_in_an_outage_has_a_lag_without_a_number_of_events() {
        ProjectionView cutOff = new ProjectionView(
                RUNNING.state(), 4, OptionalLong.empty(), Optional.of(Duration.ofMinutes(9)), Optional.of("no source"));
        JsonObject entries = JsonObject.of(health(cutOff).json())
                .object("projections")
                .orElseThrow()
                .object("entries")
                .orElseThrow();
        assertThat(entries.get("lag_events")).isNull();
        assertThat(String.valueOf(entries.get("lag_seconds"))).isEqualTo("540.0");
    }

    @Test
    void a_rate_is_a_share() {
        assertThatThrownBy(() -> new ProjectionHealth(List.of(), 1.5)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ProjectionHealth(List.of(), Double.NaN))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void the_rate_of_errors_is_that_of_the_last_minute() {
        AtomicReference<Instant> now = new AtomicReference<>(AT);
        ProjectionErrorRate rate = new ProjectionErrorRate(now::get);
        assertThat(rate.current()).isZero();
        rate.batchApplied("entries", 2, 1, 5, Duration.ofMillis(1));
        rate.failed("entries", FailureKind.POISON, new IllegalStateException("no"));
        assertThat(rate.current()).isEqualTo(0.25);
        now.set(AT.plusSeconds(59));
        rate.batchApplied("entries", 4, 0, 0, Duration.ofMillis(1));
        assertThat(rate.current()).isEqualTo(0.125);
        now.set(AT.plusSeconds(60));
        assertThat(rate.current()).isZero();
        rate.failed("entries", FailureKind.TRANSIENT, new IllegalStateException("no"));
        assertThat(rate.current()).isEqualTo(0.2);
        now.set(AT.plusSeconds(600));
        assertThat(rate.current()).isZero();
    }

    @Test
    void the_rate_of_errors_is_that_of_live_versions() {
        ProjectionErrorRate rate = new ProjectionErrorRate(() -> AT);
        ProjectionVersion first = new ProjectionVersion("entries", 1, 1, VersionRole.LIVE, 0, true);
        ProjectionVersion second = new ProjectionVersion("entries", 2, 1, VersionRole.CANDIDATE, 0, true);
        rate.versionsChanged("entries", List.of(first, second));
        rate.failed("entries@2", FailureKind.POISON, new IllegalStateException("no"));
        assertThat(rate.current()).isZero();
        rate.failed("entries", FailureKind.POISON, new IllegalStateException("no"));
        rate.batchApplied("entries@2", 10_000, 0, 0, Duration.ofMillis(1));
        assertThat(rate.current()).isEqualTo(1);

        rate.versionsChanged("entries", List.of(new ProjectionVersion("entries", 2, 1, VersionRole.LIVE, 0, true)));
        rate.batchApplied("entries@2", 3, 0, 0, Duration.ofMillis(1));
        assertThat(rate.current()).isEqualTo(0.25);
    }

    @Test
    void a_candidate_version_never_makes_the_health_unhealthy() {
        assertThat(health(RUNNING, candidate(ProjectionStatus.REBUILDING)).status())
                .isEqualTo(ProjectionHealth.Status.HEALTHY);
        ProjectionHealth failed = health(RUNNING, candidate(ProjectionStatus.FAILED));
        assertThat(failed.status()).isEqualTo(ProjectionHealth.Status.DEGRADED);
        assertThat(failed.isReady()).isTrue();
        assertThat(failed.lag()).isEqualTo(RUNNING.lag());
    }

    @Test
    void a_projection_whose_live_version_is_run_elsewhere_is_degraded_and_ready() {
        ProjectionHealth alone = health(candidate(ProjectionStatus.REBUILDING));
        assertThat(alone.status()).isEqualTo(ProjectionHealth.Status.DEGRADED);
        assertThat(alone.isReady()).isTrue();
    }

    @Test
    void the_live_version_has_the_name_of_the_projection() {
        JsonObject projections = JsonObject.of(
                        health(candidate(ProjectionStatus.REBUILDING), RUNNING).json())
                .object("projections")
                .orElseThrow();
        assertThat(projections.members()).containsOnlyKeys("entries@2", "entries");
        ProjectionView second = new ProjectionView(
                new ProjectionVersion("entries", 2, 1, VersionRole.LIVE, 0, true),
                view("entries@2", ProjectionStatus.RUNNING, 1, Optional.empty()).state(),
                4,
                OptionalLong.of(0),
                Optional.of(Duration.ZERO),
                Optional.empty(),
                Optional.empty(),
                ParkedSummary.NONE);
        assertThat(JsonObject.of(health(second).json())
                        .object("projections")
                        .orElseThrow()
                        .members())
                .containsOnlyKeys("entries");
    }

    @Test
    void a_retired_version_follows_and_is_not_rebuilt() {
        ProjectionView retired = new ProjectionView(
                new ProjectionVersion("entries", 1, 1, VersionRole.RETIRED, 0, true),
                view("entries", ProjectionStatus.REBUILDING, 1, Optional.empty())
                        .state(),
                4,
                OptionalLong.of(0),
                Optional.of(Duration.ZERO),
                Optional.of("this process cannot run it"),
                Optional.empty(),
                ParkedSummary.NONE);
        JsonObject projections = JsonObject.of(
                        health(candidate(ProjectionStatus.REBUILDING), retired).json())
                .object("projections")
                .orElseThrow();
        assertThat(projections.object("entries@1").orElseThrow().string("status"))
                .contains("following");
        assertThat(projections.object("entries@2").orElseThrow().string("status"))
                .contains("rebuilding");
        assertThat(health(retired).isReady()).isTrue();
    }

    private static ProjectionView candidate(ProjectionStatus status) {
        return new ProjectionView(
                new ProjectionVersion("entries", 2, 1, VersionRole.CANDIDATE, 0, true),
                view("entries@2", status, 1, Optional.empty()).state(),
                4,
                OptionalLong.of(50_000),
                Optional.of(Duration.ofDays(1)),
                Optional.empty(),
                Optional.empty(),
                ParkedSummary.NONE);
    }

    private static ProjectionHealth health(ProjectionView... views) {
        return new ProjectionHealth(List.of(views), 0);
    }

    private static ProjectionView view(
            String projection, ProjectionStatus status, long epoch, Optional<String> outage) {
        return new ProjectionView(
                new ProjectionState(
                        projection,
                        status,
                        epoch,
                        4,
                        42,
                        Optional.of("e-7"),
                        Optional.of(AT),
                        3,
                        Optional.of("secret error"),
                        Optional.of(AT),
                        AT),
                4,
                OptionalLong.of(5),
                Optional.of(Duration.ofMillis(2_500)),
                outage);
    }
}
