package dev.spream.cli;

import dev.spream.api.ProjectionDesk;
import dev.spream.core.projection.ProjectionOperations.Act;
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

/** Removes a version of a projection. */
@Command(
        name = "drop",
        description =
                "Removes a version of a projection that is not live, with its tables and all that is remembered of it.",
        sortOptions = false,
        footer = {"", "Try: spream projection drop entries --version 1 --yes --reason 'version 2 is good'"})
final class ProjectionDropCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Mixin
    private final ProjectionArguments arguments = new ProjectionArguments();

    /** Of the standard options the other one is called like the version of a projection. */
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    @SuppressWarnings("UnusedVariable") // that it is there is all that picocli needs
    private boolean help;

    @Option(names = "--version", paramLabel = "N", required = true, description = "Which, as show shows it.")
    private int version;

    @Option(names = "--yes", description = "It is meant.")
    private boolean yes;

    @Mixin
    private final ProjectionActArguments by = new ProjectionActArguments();

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() {
        if (!yes) {
            throw new ParameterException(spec.commandLine(), "a version that is dropped is gone: add --yes");
        }
        Act act = by.act();
        try (ProjectionDesk desk = arguments.open(others)) {
            desk.operations().rebuilds().drop(projection.name(), version, act);
            say("drop %s: version %d is gone".formatted(projection, version));
            return ExitCode.OK;
        } catch (IllegalStateException e) { // it cannot be done as things are
            say("left %s: %s".formatted(projection, PlainText.of(String.valueOf(e.getMessage()))));
            return ExitCode.SOFTWARE;
        }
    }

    private void say(String line) {
        spec.commandLine().getErr().println(line);
    }
}
