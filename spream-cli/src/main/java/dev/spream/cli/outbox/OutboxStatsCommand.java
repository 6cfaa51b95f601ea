package dev.spream.cli.outbox;

import dev.spream.api.ConfiguredOutbox;
import dev.spream.cli.command.Subcommand;
import dev.spream.outbox.OutboxStats;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the numbers of entries. */
@Command(
        name = "stats",
        description = "Counts entries by status, and shows the age of the oldest due entry and the number of parked"
                + " ones.",
        footer = {"", "Try: spream outbox stats --url jdbc:postgresql://localhost/shop"})
final class OutboxStatsCommand extends Subcommand {
    @Mixin
    private final OutboxArguments arguments = new OutboxArguments();

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    @Option(
            names = "--exact",
            description =
                    "Count all unsettled entries; without it, counts above 10,000 of a status are estimates. Takes"
                            + " seconds with a million entries.")
    private boolean exact;

    @Override
    public Integer call() {
        try (ConfiguredOutbox configured = arguments.open()) {
            OutboxStats stats = exact
                    ? configured.operations().exactStats()
                    : configured.operations().stats();
            print(json ? List.of(OutboxJson.stats(stats)) : OutboxPrinter.stats(stats));
            return ExitCode.OK;
        }
    }
}
