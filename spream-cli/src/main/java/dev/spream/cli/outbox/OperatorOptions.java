package dev.spream.cli.outbox;

import static dev.spream.cli.command.UsageFailure.require;
import static dev.spream.cli.command.UsageFailure.required;

import dev.spream.cli.command.ActorArgument;
import dev.spream.cli.command.UsageFailure;
import dev.spream.outbox.OperatorAction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The actor and the reason of a manual change of an outbox. */
final class OperatorOptions {
    @Mixin
    private final ActorArgument actor = new ActorArgument();

    @Option(names = "--why", paramLabel = "TEXT", description = "Reason, recorded in the audit.")
    private @Nullable String why;

    /**
     * Returns the action with a reason for the audit of single entries.
     *
     * @throws UsageFailure if the reason is missing
     */
    OperatorAction action() {
        require(why != null && !why.isBlank(), "the audit needs a reason: --why TEXT");
        return act();
    }

    OperatorAction act() {
        return required("", () -> new OperatorAction(actor.name(), why == null ? "" : why));
    }
}
