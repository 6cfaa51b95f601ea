package dev.spream.cli.partition;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.cli.command.Subcommand;
import dev.spream.cli.storage.OpenStorage;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command that shows the stored partitions with their owners and watermarks. */
@Command(
        name = "partitions",
        description = "Shows the partitions of a subscription, with their owners and watermarks.",
        footer = {
            "",
            "With --database it reads the stream's retention period and shows the time until changes are lost."
        })
public final class PartitionsCommand extends Subcommand {
    @Mixin
    private final SubscriptionArguments arguments = new SubscriptionArguments();

    @Option(
            names = "--all",
            description = "Show all stored finished partitions, not only the parents of unfinished ones.")
    private boolean all;

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    @Option(names = "--dot", description = "Print a graph for Graphviz instead of text.")
    private boolean dot;

    @Override
    public Integer call() throws Exception {
        require(!(json && dot), "--json and --dot are two formats: remove one");
        try (OpenStorage open = arguments.open()) {
            StoredSubscription stored = StoredSubscription.read(open);
            PartitionView view =
                    PartitionView.of(stored, all, arguments.retention(stored, line -> report(name() + ": " + line)));
            if (json) {
                print(PartitionsJson.write(view));
            } else {
                print(dot ? PartitionGraph.lines(view) : PartitionTree.lines(view));
            }
            return ExitCode.OK;
        }
    }
}
