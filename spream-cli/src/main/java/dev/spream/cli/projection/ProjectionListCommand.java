package dev.spream.cli.projection;

import dev.spream.api.ConfiguredProjections;
import dev.spream.cli.command.Subcommand;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists projections. */
@Command(
        name = "list",
        description = "Lists projections: one line each with status, position, parked aggregates, errors, last event,"
                + " version and last error.",
        footer = {"", "Try: spream projection list --url jdbc:postgresql://localhost/vocabulary_read"})
final class ProjectionListCommand extends Subcommand {
    @Mixin
    private final ProjectionArguments arguments = new ProjectionArguments();

    @Option(names = "--json", description = "Print one JSON object per line instead of text.")
    private boolean json;

    @Override
    public Integer call() {
        try (ConfiguredProjections configured = arguments.open()) {
            List<ProjectionDetails> all = all(configured.operations());
            Map<String, ProjectionBuild> builds = builds(configured.operations(), all);
            print(
                    json
                            ? all.stream()
                                    .map(details -> ProjectionJson.row(
                                            details,
                                            Optional.ofNullable(
                                                    builds.get(details.state().projection()))))
                                    .toList()
                            : ProjectionPrinter.table(all, builds, Instant.now()));
            report("projections: %d", all.size());
            return ExitCode.OK;
        }
    }

    /** Returns the versions by state name. */
    private static Map<String, ProjectionBuild> builds(ProjectionOperations projections, List<ProjectionDetails> all) {
        Map<String, ProjectionBuild> builds = new HashMap<>();
        all.forEach(details -> {
            String state = details.state().projection();
            ProjectionBuild.of(projections.rebuilds(), state).ifPresent(build -> builds.put(state, build));
        });
        return builds;
    }

    private static List<ProjectionDetails> all(ProjectionOperations projections) {
        return projections.list().stream()
                .flatMap(state -> projections.show(stored(state.projection())).stream())
                .toList();
    }

    /** Returns the name of this state, with the version number, since the name without it denotes the live version. */
    private static String stored(String state) {
        return state.indexOf('@') < 0 ? state + "@1" : state;
    }
}
