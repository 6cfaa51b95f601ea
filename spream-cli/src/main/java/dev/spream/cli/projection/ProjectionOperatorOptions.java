package dev.spream.cli.projection;

import static dev.spream.cli.command.UsageFailure.require;
import static dev.spream.cli.command.UsageFailure.required;

import dev.spream.cli.command.ActorArgument;
import dev.spream.projection.ProjectionOperations.Act;
import java.util.Map;
import java.util.Stack;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The actor and the reason of a manual change of a projection. */
final class ProjectionOperatorOptions {
    @Mixin
    private final ActorArgument actor = new ActorArgument();

    @Option(names = "--reason", paramLabel = "TEXT", required = true, description = "Reason, recorded in the audit.")
    private String reason = "";

    @Option(names = "--why", paramLabel = "TEXT", hidden = true, preprocessor = AsReason.class)
    @SuppressWarnings("UnusedVariable") // the value is assigned to the other option
    private @Nullable String why;

    /** Accepts the option name of other commands as an alias that the help does not show. */
    static final class AsReason implements IParameterPreprocessor {
        @Override
        public boolean preprocess(
                Stack<String> arguments, CommandSpec command, ArgSpec alias, Map<String, Object> info) {
            arguments.push("--reason");
            return true;
        }
    }

    Act act() {
        require(!reason.isBlank(), "the audit needs a reason: --reason TEXT");
        return required("", () -> new Act(actor.name(), reason));
    }
}
