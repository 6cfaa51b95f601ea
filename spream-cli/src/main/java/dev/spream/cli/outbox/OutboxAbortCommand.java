package dev.spream.cli.outbox;

import dev.spream.api.OutboxDesk;
import dev.spream.cli.command.Subcommand;
import dev.spream.outbox.ManualAct;
import dev.spream.outbox.OutboxOperations;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Gives entries up. */
@Command(
        name = "abort",
        description =
                "Gives entries up: the ledger says that they failed by hand. Refused of what is settled, or being sent.",
        footer = {"", "What may have reached the receiver is better settled by outbox settle, as it ended."})
final class OutboxAbortCommand extends Subcommand {
    @Mixin
    private final OutboxArguments arguments = new OutboxArguments();

    @Mixin
    private final ChoiceArguments choice = new ChoiceArguments();

    @Mixin
    private final ActArguments by = new ActArguments();

    @Override
    public Integer call() {
        choice.requireClear();
        ManualAct act = by.reasoned();
        try (OutboxDesk desk = arguments.open()) {
            OutboxOperations outbox = desk.operations();
            return choice.change(new OutboxChange("abort", outbox, id -> outbox.abort(id, act), err()), outbox);
        }
    }
}
