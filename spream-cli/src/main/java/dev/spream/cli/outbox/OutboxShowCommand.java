package dev.spream.cli.outbox;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.api.ConfiguredOutbox;
import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.command.Subcommand;
import dev.spream.outbox.AuditEntry;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxRow;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows all of an entry. */
@Command(
        name = "show",
        description =
                "Shows an entry, what the ledger says of its key, and what was changed of it by hand. Of one that was purged"
                        + " the ledger has the answer by its --key, and the audit what was changed by its id.")
final class OutboxShowCommand extends Subcommand {
    @Mixin
    private final OutboxArguments arguments = new OutboxArguments();

    @Mixin
    private final EntryArguments entry = new EntryArguments();

    @Option(names = "--payload", description = "Show what is sent as well, and what the receiver answered.")
    private boolean payload;

    @Option(names = "--json", description = "Print one object of JSON instead of text.")
    private boolean json;

    @Override
    public Integer call() {
        entry.requireIds();
        require(entry.isOne(), "say which entry: its id, or --key");
        try (ConfiguredOutbox desk = arguments.open()) {
            print(entry.one(desk.operations())
                    .map(row -> whole(desk.operations(), row))
                    .orElseGet(() -> gone(desk)));
            return ExitCode.OK;
        }
    }

    private List<String> whole(OutboxOperations outbox, OutboxRow row) {
        List<AuditEntry> audit = outbox.audit(row.id());
        Optional<String> holds = payload ? outbox.payload(row.id()) : Optional.empty();
        return json
                ? List.of(OutboxJson.whole(row, audit, payload, holds))
                : OutboxPrinter.whole(row, audit, payload, holds);
    }

    private List<String> gone(ConfiguredOutbox desk) {
        PurgedEntry gone = PurgedEntry.find(desk, entry);
        if (!gone.isKnown()) {
            throw new CommandFailure("neither outbox nor ledger nor audit has an entry %s".formatted(entry));
        }
        return json ? List.of(OutboxJson.gone(gone, payload)) : OutboxPrinter.gone(gone, payload);
    }
}
