package dev.spream.cli.projection;

import static dev.spream.cli.command.UsageFailure.requireBetween;

import dev.spream.api.ConfiguredProjections;
import dev.spream.cli.command.Subcommand;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionDetails;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows all of a projection. */
@Command(
        name = "show",
        description = "Shows a projection: owners of its segments, parked aggregates with the reason, and the number of"
                + " dead letters.",
        footer = {"", "Aggregates are listed in the order in which they were parked."})
final class ProjectionShowCommand extends Subcommand {
    private static final int MAX_LIMIT = 10_000;

    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20",
            description = "Maximum number of parked aggregates, 0 to " + MAX_LIMIT + ". Default: ${DEFAULT-VALUE}.")
    private int limit;

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    @Override
    public Integer call() {
        requireBetween("--limit", limit, 0, MAX_LIMIT);
        try (ConfiguredProjections configured = projection.open()) {
            ProjectionDetails details = projection.find(configured.operations());
            List<ParkedAggregate> parked =
                    limit == 0 ? List.of() : configured.operations().parked(projection.name(), limit);
            List<ProjectionBuild> builds =
                    ProjectionBuild.all(configured.operations().rebuilds(), projection.name());
            print(
                    json
                            ? List.of(ProjectionJson.whole(details, builds, parked))
                            : ProjectionPrinter.whole(details, builds, parked, Instant.now()));
            return ExitCode.OK;
        }
    }
}
