package dev.spream.cli.projection;

import dev.spream.cli.output.Members;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Projections as JSON objects. Times are RFC 3339, durations seconds; missing values are absent. */
final class ProjectionJson {
    private static final double MILLIS = 1_000;

    private ProjectionJson() {}

    static String row(ProjectionDetails projection, Optional<ProjectionBuild> build) {
        return members(projection, build)
                .put("name", build.map(known -> known.version().label()))
                .put("version", build.map(ProjectionBuild::members))
                .toString();
    }

    /** Returns a projection with its versions and segments. */
    static String whole(ProjectionDetails projection, List<ProjectionBuild> builds, List<ParkedAggregate> parked) {
        return members(projection, ProjectionBuild.of(builds, projection.state()))
                .list("versions", builds, ProjectionBuild::members)
                .list("segments", projection.segments(), ProjectionJson::segment)
                .list("parked", parked, ProjectionJson::parked)
                .toString();
    }

    private static Members members(ProjectionDetails projection, Optional<ProjectionBuild> build) {
        ProjectionState state = projection.state();
        return new Members()
                .put("projection_name", state.projection())
                .put("status", ProjectionPrinter.status(state, build))
                .put("epoch", state.epoch())
                .put("segment_count", state.segments())
                .put("segments_unheld", ProjectionPrinter.unheld(projection))
                .put("event_store_position", state.segments() > 0 ? Optional.of(state.position()) : Optional.empty())
                .put("last_processed_event_id", state.lastEventId())
                .put("last_processed_timestamp", state.lastEventAt())
                .put("error_count", state.errorCount())
                .put("last_error", state.lastError())
                .put("last_error_at", state.lastErrorAt())
                .put("parked_keys", projection.parkedKeys())
                .put("parked_events", projection.parkedEvents())
                .put("dead_letters", projection.deadLetters())
                .put("updated_at", state.updatedAt());
    }

    private static Members segment(ProjectionDetails.Segment segment) {
        return new Members()
                .put("segment", segment.segment())
                .put("epoch", segment.epoch())
                .put("position", segment.position())
                .put("owner", segment.owner())
                .put("lease_left_seconds", segment.leaseLeft().map(ProjectionJson::seconds));
    }

    private static Members parked(ParkedAggregate key) {
        return new Members()
                .put("key", key.key())
                .put("reason", key.reason())
                .put("last_version", key.lastVersion())
                .put("first_version", key.firstVersion())
                .put("events", key.events())
                .put("attempts", key.attempts())
                .put("error", key.error())
                .put("since", key.since())
                .put("next_try_seconds", key.nextTry().map(ProjectionJson::seconds));
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / MILLIS;
    }
}
