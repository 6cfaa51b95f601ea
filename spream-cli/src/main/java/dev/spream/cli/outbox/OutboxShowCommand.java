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
        description = "Shows an entry, the ledger's record of its key, and its audited operator actions. For a purged"
                + " entry, the ledger is read by --key and the audit by id.")
final class OutboxShowCommand extends Subcommand {
    @Mixin
    private final OutboxArguments arguments = new OutboxArguments();

    @Mixin
    private final EntryArguments entry = new EntryArguments();

    @Option(names = "--payload", description = "Also show the payload and the receiver's response.")
    private boolean payload;

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    @Override
    public Integer call() {
        entry.requireIds();
        require(entry.isOne(), "the entry is missing: add its id or --key");
        try (ConfiguredOutbox configured = arguments.open()) {
            print(entry.one(configured.operations())
                    .map(row -> whole(configured.operations(), row))
                    .orElseGet(() -> purged(configured)));
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

    private List<String> purged(ConfiguredOutbox configured) {
        PurgedEntry gone = PurgedEntry.find(configured, entry);
        if (!gone.isKnown()) {
            throw new CommandFailure("there is no entry %s in the outbox, the ledger or the audit".formatted(entry));
        }
        return json ? List.of(OutboxJson.purged(gone, payload)) : OutboxPrinter.purged(gone, payload);
    }
}
