package dev.spream.cli.outbox;

import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OperatorResult;
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
    OperatorResult change(OutboxOperations outbox, long id, OperatorAction act) {
        return outbox.abort(id, act);
    }
}
