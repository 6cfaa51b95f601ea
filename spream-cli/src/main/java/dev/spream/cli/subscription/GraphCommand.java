package dev.spream.cli.subscription;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.api.StreamTime;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.command.UsageFailure;
import dev.spream.cli.command.Verbosity;
import dev.spream.cli.output.Terminal;
import dev.spream.cli.storage.FlagPlugins;
import dev.spream.cli.storage.ReadingArguments;
import dev.spream.cli.storage.StreamArguments;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Draws the partitions of a change stream over a period of time, from the stream itself. */
@Command(
        name = "graph",
        description =
                "Draws how the partitions of a change stream split, merged and moved, read from the stream itself.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:success", "1:failure", "2:usage"},
        footer = {
            "",
            "It needs no storage and stores nothing. Spanner returns partitions together with their changes: these are"
                    + " read too, counted and dropped."
        })
public final class GraphCommand extends Subcommand {
    private static final List<String> NOT_IN_DEMO = Stream.of(
                    List.of(
                            "--database",
                            "--stream",
                            "--start",
                            "--end",
                            "--endpoint",
                            "--credentials-file",
                            "--channels",
                            "--keep-alive-time"),
                    ReadingArguments.NAMES)
            .flatMap(List::stream)
            .toList();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    @Mixin
    private final StreamArguments streamArguments = new StreamArguments();

    @Option(
            names = "--start",
            paramLabel = "TIME",
            description = "Begin of the period, not before the stream was created: 2026-01-31T12:00:00Z, -15m. Default:"
                    + " -1h.")
    private StreamTime start = StreamTime.parse("-1h");

    @Option(
            names = "--end",
            paramLabel = "TIME",
            description = "End of the period: 2026-01-31T12:00:00Z, now, +10s. Default: now.")
    private StreamTime end = StreamTime.parse("now");

    @Mixin
    private final ReadingArguments readingArguments = new ReadingArguments();

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    @Option(names = "--dot", description = "Print a graph for Graphviz instead of text.")
    private boolean dot;

    @Option(
            names = "--demo",
            description = "Draw the stream of a database of its own, after writing to it while partitions split and"
                    + " merge.")
    private boolean demo;

    @Mixin
    private final DemoArguments demoArguments = new DemoArguments();

    @Override
    public Integer call() throws Exception {
        verbosity.apply();
        require(!(json && dot), "--json and --dot are two formats: remove one");
        refuse(demo ? NOT_IN_DEMO : DemoArguments.NAMES, demo ? " cannot be combined with --demo" : " needs --demo");
        StreamGraphText text = new StreamGraphText(demo ? demo() : stream());
        if (json) {
            print(text.json());
        } else {
            print(dot ? text.dot() : text.tree());
        }
        return ExitCode.OK;
    }

    private void refuse(List<String> options, String problem) {
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            if (options.contains(option.longestName())) {
                throw new UsageFailure(option.longestName() + problem);
            }
        }
    }

    private StreamGraph stream() {
        readingArguments.check(streamArguments);
        Instant now = Instant.now();
        Instant from = start.at(now);
        Instant until = end.at(now);
        require(!until.isBefore(from), "--end is before --start");
        String stream = streamArguments.stream().orElseThrow();
        try (OpenPlugin<ChangeStreamSource> source = FlagPlugins.open(
                ChangeStreamSourceProvider.class, "spanner", readingArguments.keys(streamArguments), stream)) {
            return read(source.product(), from, until);
        }
    }

    private static StreamGraph read(ChangeStreamSource source, Instant from, Instant until) {
        WatermarkProgress progress = new WatermarkProgress(System.err, InstantSource.system());
        if (Terminal.watched()) {
            progress.line().show();
        }
        try {
            return StreamGraph.read(source, from, until, progress);
        } finally {
            progress.line().end();
        }
    }

    private StreamGraph demo() throws Exception {
        Demo.Settings settings = demoArguments.settings(1, Optional.empty(), TransactionMode.OFF, streamArguments);
        if (settings.emulatorHost().isPresent()) {
            return demo(settings, settings.emulatorHost().get());
        }
        try (SpannerEmulator emulator = Demo.emulator(settings)) {
            return demo(settings, emulator.emulatorHost());
        }
    }

    private static StreamGraph demo(Demo.Settings settings, String emulatorHost) throws Exception {
        TransferWorkload workload = new TransferWorkload(settings.seed());
        try (DemoDatabase database =
                        DemoDatabase.create(emulatorHost, settings.dialect().dialect(), settings.mode(), workload);
                SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(database.name()))
                        .emulatorHost(emulatorHost)
                        .open();
                SpannerChangeStreamSource source =
                        SpannerChangeStreamSource.open(connection.client(), DemoDatabase.STREAM)) {
            Instant from = database.serverTime();
            workload.run(
                    database.client(),
                    settings.transactions().orElse(Integer.MAX_VALUE),
                    settings.interval(),
                    settings.timeLimit());
            return read(source, from, database.serverTime());
        }
    }
}
