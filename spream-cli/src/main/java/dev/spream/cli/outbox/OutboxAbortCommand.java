package dev.spream.cli.outbox;

import dev.spream.outbox.ManualAct;
import dev.spream.outbox.ManualResult;
import dev.spream.outbox.OutboxOperations;
import picocli.CommandLine.Command;

/** Gives entries up. */
@Command(
        name = "abort",
        description =
                "Gives entries up: the ledger says that they failed by hand. Refused of what is settled, or being sent.",
        footer = {"", "What may have reached the receiver is better settled by outbox settle, as it ended."})
final class OutboxAbortCommand extends EntriesCommand {
    @Override
    ManualResult change(OutboxOperations outbox, long id, ManualAct act) {
        return outbox.abort(id, act);
    }
}
