package dev.spream.cli.outbox;

import dev.spream.api.ConfiguredOutbox;
import dev.spream.cli.command.Subcommand;
import dev.spream.outbox.OutboxStats;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Counts entries. */
@Command(
        name = "stats",
        description = "Counts entries by status, and says since when the oldest has been due and how many are parked.",
        footer = {"", "Try: spream outbox stats --url jdbc:postgresql://localhost/shop"})
final class OutboxStatsCommand extends Subcommand {
    @Mixin
    private final OutboxArguments arguments = new OutboxArguments();

    @Option(names = "--json", description = "Print one object of JSON instead of text.")
    private boolean json;

    @Option(
            names = "--exact",
            description =
                    "Count everything that is not settled; without it, what is beyond 10,000 of a status is estimated."
                            + " Takes seconds once there are a million.")
    private boolean exact;

    @Override
    public Integer call() {
        try (ConfiguredOutbox desk = arguments.open()) {
            OutboxStats stats =
                    exact ? desk.operations().exactStats() : desk.operations().stats();
            print(json ? List.of(OutboxJson.stats(stats)) : OutboxPrinter.stats(stats));
            return ExitCode.OK;
        }
    }
}
