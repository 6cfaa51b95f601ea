package dev.spream.cli.projection;

import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.output.Figures;
import dev.spream.cli.output.Members;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.VersionRole;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A version of a projection with its progress.
 *
 * @param progress the progress of a version that is not live
 */
record ProjectionBuild(ProjectionVersion version, Optional<RebuildProgress> progress) {
    private static final double MILLIS = 1_000;

    /** Returns all versions of a projection, which may be named by one of its versions. */
    static List<ProjectionBuild> all(ProjectionRebuilds rebuilds, String name) {
        String projection = NamedProjection.base(name);
        List<RebuildProgress> progress = rebuilds.progress(projection);
        return rebuilds.versions(projection).stream()
                .map(version -> new ProjectionBuild(
                        version,
                        progress.stream()
                                .filter(known -> known.version().version() == version.version())
                                .findFirst()))
                .toList();
    }

    /** Returns the version with that state name. */
    static Optional<ProjectionBuild> of(ProjectionRebuilds rebuilds, String state) {
        return all(rebuilds, state).stream()
                .filter(build -> build.version().stateName().equals(state))
                .findFirst();
    }

    /** Returns the version with that state, among the versions of its projection. */
    static Optional<ProjectionBuild> of(List<ProjectionBuild> builds, ProjectionState state) {
        return builds.stream()
                .filter(build -> build.version().stateName().equals(state.projection()))
                .findFirst();
    }

    /** The build of the requested version, or of the only one in that role. */
    static int choose(ProjectionRebuilds rebuilds, String projection, @Nullable Integer asked, VersionRole... roles) {
        if (asked != null) {
            return asked;
        }
        List<ProjectionVersion> versions = rebuilds.versions(projection);
        List<Integer> found = numbers(versions, roles);
        if (found.size() == 1) {
            return found.getFirst();
        }
        throw new CommandFailure(
                found.isEmpty()
                        ? none(projection, versions)
                        : "%s has the versions %s: select one by --version".formatted(projection, found));
    }

    private static String none(String projection, List<ProjectionVersion> versions) {
        List<Integer> built = numbers(versions, VersionRole.CANDIDATE);
        List<Integer> before = numbers(versions, VersionRole.RETIRED);
        if (!built.isEmpty()) {
            return "no version of %s was live before; spream projection cutover makes one live that is being built: %s"
                    .formatted(projection, built);
        }
        if (!before.isEmpty()) {
            return "no version of %s is being built; spream projection rebuild begins one, spream projection rollback makes one"
                            .formatted(projection)
                    + " live that was live before: " + before;
        }
        return "%s has no other version; spream projection rebuild begins one".formatted(projection);
    }

    private static List<Integer> numbers(List<ProjectionVersion> versions, VersionRole... roles) {
        return versions.stream()
                .filter(version -> List.of(roles).contains(version.role()))
                .map(ProjectionVersion::version)
                .toList();
    }

    String role() {
        return version.role().name().toLowerCase(Locale.ROOT);
    }

    String brief() {
        return "%d %s".formatted(version.version(), role())
                + from(" ")
                + progress.map(known -> " " + percent(known)).orElse("");
    }

    String text() {
        return "%d of revision %d, %s".formatted(version.version(), version.revision(), role())
                + from(", ")
                + progress.map(known -> ", " + text(known)).orElse("");
    }

    /** Returns the start position, if the version is not built from all events. */
    private String from(String separator) {
        return version.from() == 0 ? "" : "%sfrom position %d".formatted(separator, version.from());
    }

    /** Returns the progress, the rate and the remaining time. */
    static String text(RebuildProgress progress) {
        String line = percent(progress) + counted(progress.applied(), "events");
        line += progress.parked() == 0 ? "" : counted(progress.parked(), "aggregates parked");
        line += progress.skipped() == 0 ? "" : counted(progress.skipped(), "events skipped");
        if (progress.isCaughtUp()) {
            return line + ", caught up";
        }
        if (progress.rate().isEmpty()) {
            return line + (progress.version().prepared() ? ", not running in any process" : ", not started yet");
        }
        return line
                + String.format(Locale.ROOT, ", %,.0f events/s", progress.rate().getAsDouble())
                + progress.left()
                        .map(left -> ", %s left".formatted(Figures.duration(left)))
                        .orElse("");
    }

    private static String counted(long number, String what) {
        return ", %s %s".formatted(Figures.count(number), what);
    }

    /** Returns the percentage, below 100 until the build is complete. */
    private static String percent(RebuildProgress progress) {
        double percent = progress.isCaughtUp() ? 100 : Math.min(99.9, progress.share() * 100);
        return String.format(Locale.ROOT, "%.1f %%", percent);
    }

    Members members() {
        Members members = new Members()
                .put("version", version.version())
                .put("revision", version.revision())
                .put("role", role());
        progress.ifPresent(known -> {
            members.put("from_position", version.from())
                    .put("applied", known.applied())
                    .put("position", known.position())
                    .put("target", known.target())
                    .put("share", known.share())
                    .put("parked_keys", known.parked())
                    .put("skipped_events", known.skipped());
            known.rate().ifPresent(rate -> members.put("events_per_second", rate));
            members.put("left_seconds", known.left().map(left -> left.toMillis() / MILLIS));
        });
        return members;
    }
}
