package dev.spream.cli.projection;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.cli.output.Terminal;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionRebuilds.SkippedEvents;
import dev.spream.projection.ProjectionVersion;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts the build of another version of a projection. */
@Command(
        name = "rebuild",
        description =
                "Builds a candidate version of a projection from its events, beside the live one, in the processes"
                        + " that run the projection.",
        footer = {
            "",
            "The candidate version is not read and has no side effects until spream projection cutover.",
            "",
            "Try: spream projection rebuild entries --reason 'counts items' --watch"
        })
final class ProjectionRebuildCommand extends VersionCommand {
    @Option(
            names = "--from-position",
            paramLabel = "P",
            defaultValue = "0",
            description = "Begin after this position of the events. Default: ${DEFAULT-VALUE}, all events.")
    private long from;

    @Option(
            names = "--revision",
            paramLabel = "N",
            description = "Revision of the code that builds it. Default: that of the live version.")
    private @Nullable Integer revision;

    @Option(
            names = "--try-skipped",
            description = "Apply events that were skipped in the live version. Default: they are skipped in the"
                    + " candidate, too.")
    private boolean trySkipped;

    @Option(
            names = "--watch",
            description = "Show the progress until it has caught up. The rebuild continues if this command is stopped.")
    private boolean watch;

    @Mixin
    private final ProjectionOperatorOptions by = new ProjectionOperatorOptions();

    @Override
    public Integer call() {
        require(
                version(null) == null,
                "name the projection without a version: a rebuild creates a version with a new number");
        require(from >= 0, "--from-position is %d, must be 0 or more".formatted(from));
        require(revision == null || revision >= 1, "--revision is %d; revisions count from 1".formatted(revision));
        Act act = by.act();
        OptionalInt code = revision == null ? OptionalInt.empty() : OptionalInt.of(revision);
        return run((projections, name) -> {
            SkippedEvents skipped = trySkipped ? SkippedEvents.TRY : SkippedEvents.SKIP;
            int version = projections.rebuilds().rebuild(name, code, from, skipped, act);
            int built = projections.rebuilds().versions(name).stream()
                    .filter(each -> each.version() == version)
                    .mapToInt(ProjectionVersion::revision)
                    .findFirst()
                    .orElseThrow();
            report(
                    "rebuild %s: version %d is built by the processes that run code of revision %d; spream projection cutover makes it live",
                    shown(), version, built);
            return watch ? watch(projections, name, version) : ExitCode.OK;
        });
    }

    private int watch(ProjectionOperations projections, String name, int version) {
        return new RebuildWatch(projections, name, version, err(), Terminal.watched()).run();
    }
}
