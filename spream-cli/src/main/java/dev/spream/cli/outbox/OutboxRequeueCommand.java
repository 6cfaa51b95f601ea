package dev.spream.cli.outbox;

import dev.spream.api.OutboxDesk;
import dev.spream.cli.command.Subcommand;
import dev.spream.outbox.ManualAct;
import dev.spream.outbox.OutboxOperations;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Has entries tried again. */
@Command(
        name = "requeue",
        description =
                "Has entries tried again from their first attempt on, at once. One that was aborted becomes a new generation of"
                        + " its request: what the ledger says of the old one stays.",
        footer = {
            "",
            "An entry that is parked with an unknown outcome is sent again, whatever reached the receiver: ask it first, and use"
                    + " outbox settle if it has it.",
            "",
            "Try: spream outbox requeue --all --status aborted --reason UNAVAILABLE --why 'the broker is back' --yes"
        })
final class OutboxRequeueCommand extends Subcommand {
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
            return choice.change(new OutboxChange("requeue", outbox, id -> outbox.requeue(id, act), err()), outbox);
        }
    }
}
