package dev.spream.cli;

import dev.spream.api.ProjectionDesk;
import dev.spream.projection.ProjectionOperations;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;
import picocli.CommandLine.Unmatched;

/** What the commands for versions of a projection share: which projection, where it is, and how they say that they left it. */
final class VersionArguments {
    @Spec(Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

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

    @Unmatched
    private final List<String> others = new ArrayList<>();

    /** What a command does with the projection, and its exit code. */
    @FunctionalInterface
    interface Work {
        int run(ProjectionOperations projections, String name);
    }

    /**
     * Does it with a projection that there is.
     *
     * @return the exit code; if it cannot be done as things are, standard error says why, and that nothing was changed
     */
    int run(Work work) {
        try (ProjectionDesk desk = arguments.open(others)) {
            return work.run(desk.operations(), projection.findBase(desk.operations()));
        } catch (IllegalStateException e) { // it cannot be done as things are
            say("left %s: %s".formatted(shown(), PlainText.of(String.valueOf(e.getMessage()))));
            return ExitCode.SOFTWARE;
        }
    }

    /**
     * The version that is asked for, by an option or as {@code list} names it, {@code projection@version}.
     *
     * @param option of the command; null if it was not given
     * @return null if none is asked for
     * @throws ParameterException if two are
     */
    @Nullable
    Integer version(@Nullable Integer option) {
        OptionalInt named = projection.version();
        if (named.isEmpty()) {
            return option;
        }
        if (option != null && option != named.getAsInt()) {
            throw new ParameterException(
                    command.commandLine(),
                    "%s is version %d, and --version says %d".formatted(projection, named.getAsInt(), option));
        }
        return named.getAsInt();
    }

    /** The projection, as it can be printed. */
    String shown() {
        return PlainText.of(projection.base());
    }

    void say(String line) {
        command.commandLine().getErr().println(line);
    }
}
