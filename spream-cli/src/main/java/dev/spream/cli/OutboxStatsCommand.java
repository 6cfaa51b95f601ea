package dev.spream.cli;

import dev.spream.api.OutboxDesk;
import dev.spream.outbox.OutboxStats;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Counts entries. */
@Command(
        name = "stats",
        description = "Counts entries by status, and says since when the oldest has been due and how many are parked.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        footer = {"", "Try: spream outbox stats --url jdbc:postgresql://localhost/shop"})
final class OutboxStatsCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

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

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() {
        try (OutboxDesk desk = arguments.open(others)) {
            OutboxStats stats =
                    exact ? desk.operations().exactStats() : desk.operations().stats();
            PrintWriter out = spec.commandLine().getOut();
            (json ? List.of(OutboxJson.stats(stats)) : OutboxLines.stats(stats)).forEach(out::println);
            out.flush();
            return ExitCode.OK;
        }
    }
}
