package dev.spream.cli.outbox;

import static dev.spream.cli.command.UsageFailure.require;
import static dev.spream.cli.command.UsageFailure.required;

import dev.spream.api.ConfiguredOutbox;
import dev.spream.cli.command.Subcommand;
import dev.spream.outbox.OutboxFilter;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxRow;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists entries without their payload. */
@Command(
        name = "list",
        description = "Lists entries in the order of their ids, without their payload.",
        footer = {
            "",
            "The last line shows how to continue: --after with the last id.",
            "",
            "Try: spream outbox list --parked"
        })
final class OutboxListCommand extends Subcommand {
    @Mixin
    private final OutboxArguments arguments = new OutboxArguments();

    @Mixin
    private final OutboxFilterArguments filter = new OutboxFilterArguments();

    @Option(names = "--key", paramLabel = "KEY", description = "Only the entry of this idempotency key.")
    private @Nullable String key;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            description = "Maximum number, up to " + OutboxFilter.MAX_LIMIT + ". Default: ${DEFAULT-VALUE}.")
    private int limit;

    @Option(
            names = "--after",
            paramLabel = "ID",
            defaultValue = "0",
            converter = EntryId.OrZero.class,
            description = "Only entries after this id. Default: from the beginning.")
    private long after;

    @Option(names = "--json", description = "Print one JSON object per line instead of text.")
    private boolean json;

    @Override
    public Integer call() {
        OutboxFilter chosen = required("--", () -> filter.filter(after, limit));
        require(key == null || !filter.isGiven(), "--key selects one entry: remove the other filters");
        try (ConfiguredOutbox configured = arguments.open()) {
            List<OutboxRow> rows = rows(configured.operations(), chosen);
            print(json ? rows.stream().map(OutboxJson::row).toList() : OutboxPrinter.table(rows));
            report("outbox: " + summary(rows));
            return ExitCode.OK;
        }
    }

    private List<OutboxRow> rows(OutboxOperations outbox, OutboxFilter chosen) {
        return key == null ? outbox.list(chosen) : outbox.find(key).stream().toList();
    }

    private String summary(List<OutboxRow> rows) {
        return "%d shown%s"
                .formatted(
                        rows.size(),
                        rows.size() == limit
                                ? "; there may be more: --after %d"
                                        .formatted(rows.getLast().id())
                                : "");
    }
}
