package dev.spream.cli;

import dev.spream.api.ProjectionDesk;
import dev.spream.core.projection.ProjectionDetails;
import dev.spream.core.projection.ProjectionOperations;
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
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Lists projections. */
@Command(
        name = "list",
        description =
                "Lists projections: a line each with status, position, what is parked, errors and the last event.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        footer = {"", "Try: spream projection list --url jdbc:postgresql://localhost/vocabulary_read"})
final class ProjectionListCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final ProjectionArguments arguments = new ProjectionArguments();

    @Option(names = "--json", description = "Print one object of JSON a line instead of text.")
    private boolean json;

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() {
        try (ProjectionDesk desk = arguments.open(others)) {
            List<ProjectionDetails> all = all(desk.operations());
            PrintWriter out = spec.commandLine().getOut();
            (json ? all.stream().map(ProjectionJson::row).toList() : ProjectionLines.table(all, Instant.now()))
                    .forEach(out::println);
            out.flush();
            spec.commandLine().getErr().println("projections: %d".formatted(all.size()));
            return ExitCode.OK;
        }
    }

    private static List<ProjectionDetails> all(ProjectionOperations projections) {
        return projections.list().stream()
                .flatMap(state -> projections.show(state.projection()).stream())
                .toList();
    }
}
