package dev.spream.cli.outbox;

import dev.spream.outbox.ManualAct;
import dev.spream.outbox.ManualResult;
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
    ManualResult change(OutboxOperations outbox, long id, ManualAct act) {
        return outbox.requeue(id, act);
    }
}
