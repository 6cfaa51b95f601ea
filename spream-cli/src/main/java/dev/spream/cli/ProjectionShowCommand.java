package dev.spream.cli;

import dev.spream.api.ProjectionDesk;
import dev.spream.projection.ParkedKey;
import dev.spream.projection.ProjectionDetails;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Shows all of a projection. */
@Command(
        name = "show",
        description =
                "Shows a projection: who holds its segments, which aggregates are parked and why, and what was set aside"
                        + " for good.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        footer = {"", "Aggregates that were parked first come first."})
final class ProjectionShowCommand implements Callable<Integer> {
    private static final int MAX_LIMIT = 10_000;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Mixin
    private final ProjectionArguments arguments = new ProjectionArguments();

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20",
            description = "How many parked aggregates at most, 0 to " + MAX_LIMIT + ". Default: ${DEFAULT-VALUE}.")
    private int limit;

    @Option(names = "--json", description = "Print one object of JSON instead of text.")
    private boolean json;

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() {
        if (limit < 0 || limit > MAX_LIMIT) {
            throw new ParameterException(
                    spec.commandLine(), "--limit is %d, must be 0 to %d".formatted(limit, MAX_LIMIT));
        }
        try (ProjectionDesk desk = arguments.open(others)) {
            ProjectionDetails details = projection.find(desk.operations());
            List<ParkedKey> parked = limit == 0 ? List.of() : desk.operations().parked(projection.name(), limit);
            List<ProjectionBuild> builds = ProjectionBuild.all(desk.operations().rebuilds(), projection.name());
            PrintWriter out = spec.commandLine().getOut();
            (json
                            ? List.of(ProjectionJson.whole(details, builds, parked))
                            : ProjectionLines.whole(details, builds, parked, Instant.now()))
                    .forEach(out::println);
            out.flush();
            return ExitCode.OK;
        }
    }
}
