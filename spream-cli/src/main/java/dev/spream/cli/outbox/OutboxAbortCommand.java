package dev.spream.cli.outbox;

import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OperatorResult;
import dev.spream.outbox.OutboxOperations;
import picocli.CommandLine.Command;

/** Aborts entries. */
@Command(
        name = "abort",
        description = "Aborts entries: the ledger records that an operator failed them. Refused for entries that are"
                + " settled or being sent.",
        footer = {"", "For an entry that may have reached the receiver, use outbox settle with its actual outcome."})
final class OutboxAbortCommand extends EntriesCommand {
    @Override
    OperatorResult change(OutboxOperations outbox, long id, OperatorAction act) {
        return outbox.abort(id, act);
    }
}
