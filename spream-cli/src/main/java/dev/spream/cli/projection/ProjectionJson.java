package dev.spream.cli.projection;

import dev.spream.cli.output.Members;
import dev.spream.cli.panel.ProjectionMembers;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionDetails;
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
                .list("segments", projection.segments(), ProjectionMembers::segment)
                .list("parked", parked, ProjectionJson::parked)
                .toString();
    }

    private static Members members(ProjectionDetails projection, Optional<ProjectionBuild> build) {
        return ProjectionMembers.of(projection, ProjectionPrinter.status(projection.state(), build));
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
