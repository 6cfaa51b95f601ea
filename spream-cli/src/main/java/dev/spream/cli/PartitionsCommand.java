package dev.spream.cli;

import dev.spream.core.source.SourceException;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows what a storage knows: who reads which partitions, and how far they are. */
@Command(
        name = "partitions",
        description = "Shows the partitions of a subscription, who reads them and how far.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        footer = {
            "",
            "With --database it asks how long the stream keeps changes, and shows how long until some are lost."
        })
final class PartitionsCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final SubscriptionArguments arguments = new SubscriptionArguments();

    @Option(
            names = "--all",
            description = "Show all finished partitions that are stored, not just those that unfinished ones continue.")
    private boolean all;

    @Option(names = "--json", description = "Print one object of JSON instead of text.")
    private boolean json;

    @Option(names = "--dot", description = "Print a graph for Graphviz instead of text.")
    private boolean dot;

    @Override
    public Integer call() throws Exception {
        if (json && dot) {
            throw new ParameterException(spec.commandLine(), "--json and --dot are two forms: take one away");
        }
        try (OpenStorage open = arguments.open()) {
            StoredSubscription stored = StoredSubscription.read(open);
            PartitionView view = PartitionView.of(stored, all, retention(stored));
            PrintWriter out = spec.commandLine().getOut();
            if (json) {
                out.println(PartitionsJson.write(view));
            } else {
                (dot ? PartitionGraph.lines(view) : PartitionTree.lines(view)).forEach(out::println);
            }
            out.flush();
            return ExitCode.OK;
        }
    }

    /** Of the stream, if its database is named and answers. */
    private Optional<Duration> retention(StoredSubscription stored) {
        Optional<DatabaseName> database = arguments.stream().database();
        if (database.isEmpty()) {
            return Optional.empty();
        }
        try (SpannerConnection connection = SpannerConnections.open(
                        database.get(), arguments.stream().emulator());
                SpannerChangeStreamSource source =
                        connection.source(stored.subscription().streamName()).build()) {
            return source.retention();
        } catch (SourceException e) {
            spec.commandLine()
                    .getErr()
                    .printf(
                            "partitions: how long the stream keeps changes is unknown: %s%n",
                            Failures.oneLine(String.valueOf(e.getMessage())));
            return Optional.empty();
        }
    }
}
