package dev.spream.cli.outbox;

import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OperatorResult;
import dev.spream.outbox.OutboxOperations;
import picocli.CommandLine.Command;

/** Requeues entries. */
@Command(
        name = "requeue",
        description = "Requeues entries: they are due at once, with all attempts. An aborted entry becomes a new"
                + " generation of its request; the ledger keeps its record of the old one.",
        footer = {
            "",
            "An entry that is parked with an unknown outcome is sent again even if it reached the receiver: query"
                    + " the receiver first, and use outbox settle if it has the entry.",
            "",
            "Try: spream outbox requeue --all --status aborted --reason UNAVAILABLE --why 'the broker is back' --yes"
        })
final class OutboxRequeueCommand extends EntriesCommand {
    @Override
    OperatorResult change(OutboxOperations outbox, long id, OperatorAction act) {
        return outbox.requeue(id, act);
    }
}
