package dev.spream.cli;

import dev.spream.projection.ProjectionOperations.Act;
import java.util.Map;
import java.util.Stack;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Who changes a projection by hand, and why. */
final class ProjectionActArguments {
    @Spec(Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Option(
            names = "--actor",
            paramLabel = "NAME",
            description = "Who does it, for the audit. Default: the user of this machine, at its name.")
    private @Nullable String actor;

    @Option(names = "--reason", paramLabel = "TEXT", required = true, description = "Why, for the audit.")
    private String reason = "";

    @Option(names = "--why", paramLabel = "TEXT", hidden = true, preprocessor = AsReason.class)
    @SuppressWarnings("UnusedVariable") // what is given goes to the other one
    private @Nullable String why;

    /** Takes what other commands call it for the same; as a second name the help would show it instead of the first. */
    static final class AsReason implements IParameterPreprocessor {
        @Override
        public boolean preprocess(
                Stack<String> arguments, CommandSpec command, ArgSpec alias, Map<String, Object> info) {
            arguments.push("--reason");
            return true;
        }
    }

    Act act() {
        if (reason.isBlank()) {
            throw usage("say why, for whoever reads the audit: --reason TEXT", null);
        }
        try {
            return new Act(actor == null ? ActArguments.user() : actor, reason);
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()), e);
        }
    }

    private ParameterException usage(String message, @Nullable Exception cause) {
        return cause == null
                ? new ParameterException(command.commandLine(), message)
                : new ParameterException(command.commandLine(), message, cause);
    }
}
