package dev.spream.cli.outbox;

import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OperatorResult;
import dev.spream.outbox.OutboxOperations;
import picocli.CommandLine.Command;

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
final class OutboxRequeueCommand extends EntriesCommand {
    @Override
    OperatorResult change(OutboxOperations outbox, long id, OperatorAction act) {
        return outbox.requeue(id, act);
    }
}
