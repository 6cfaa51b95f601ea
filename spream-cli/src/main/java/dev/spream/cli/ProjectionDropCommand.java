package dev.spream.cli;

import dev.spream.projection.ProjectionOperations.Act;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

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
    private final VersionArguments arguments = new VersionArguments();

    @Option(names = "--version", paramLabel = "N", description = "Which, as show shows it.")
    private @Nullable Integer version;

    @Option(names = "--yes", description = "It is meant.")
    private boolean yes;

    @Mixin
    private final ProjectionActArguments by = new ProjectionActArguments();

    @Override
    public Integer call() {
        if (!yes) {
            throw new ParameterException(spec.commandLine(), "a version that is dropped is gone: add --yes");
        }
        Integer dropped = arguments.version(version);
        if (dropped == null) {
            throw new ParameterException(spec.commandLine(), "say which version: --version N");
        }
        Act act = by.act();
        return arguments.run((projections, name) -> {
            projections.rebuilds().drop(name, dropped, act);
            arguments.say("drop %s: version %d is gone".formatted(arguments.shown(), dropped));
            return ExitCode.OK;
        });
    }
}
