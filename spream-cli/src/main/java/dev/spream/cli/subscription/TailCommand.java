package dev.spream.cli.subscription;

import static dev.spream.cli.command.UsageFailure.require;
import static dev.spream.cli.command.UsageFailure.requireBetween;

import dev.spream.api.HttpAddress;
import dev.spream.api.StreamTime;
import dev.spream.api.StreamTimes;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.filter.ChangeFilter;
import dev.spream.cli.command.DurationArgument;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.command.UsageFailure;
import dev.spream.cli.command.Verbosity;
import dev.spream.cli.http.HttpEndpoints;
import dev.spream.cli.http.PageParts;
import dev.spream.cli.output.Terminal;
import dev.spream.cli.panel.ConfiguredPanels;
import dev.spream.cli.service.Operations;
import dev.spream.cli.storage.ReadingArguments;
import dev.spream.cli.storage.StorageArguments;
import dev.spream.cli.storage.StorageChoice;
import dev.spream.cli.storage.StreamArguments;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.subscription.SubscriberOptions;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Parses and validates the flags of {@code tail}, and runs {@link Tail} or {@link Demo}. */
@Command(
        name = "tail",
        description = "Prints the changes of a change stream, a line each.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:success, also when a signal ended it and all work was finished", "1:failure", "2:usage"},
        footer = {
            "",
            "The first SIGINT or SIGTERM completes the work in flight and ends; the second interrupts it.",
            "Records are printed at least once, those of one key in commit order unless --ordering is none."
        })
public final class TailCommand extends Subcommand {
    private static final Duration MIN_LEASE_TIME = Duration.ofMillis(100);
    private static final Duration MAX_LEASE_TIME = Duration.ofHours(1);
    private static final int MAX_WORKER_LENGTH = 150;
    private static final List<String> SHARED_ONLY = List.of("--worker", "--lease-time");
    private static final List<String> NOT_IN_DEMO = Stream.of(
                    StorageArguments.SPANNER_ONLY,
                    StorageArguments.JDBC_ONLY,
                    SHARED_ONLY,
                    ReadingArguments.NAMES,
                    FilterArguments.NAMES,
                    SinkArguments.NAMES,
                    List.of(
                            "--storage",
                            "--database",
                            "--stream",
                            "--start",
                            "--end",
                            "--snapshot",
                            "--heartbeat-interval",
                            "--endpoint",
                            "--credentials-file",
                            "--channels",
                            "--keep-alive-time",
                            "--limit"))
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
            description =
                    "First commit timestamp, inclusive: 2026-01-31T12:00:00Z, -5m. Default: now. Used at the first"
                            + " run only: a stored subscription resumes from its watermarks, and a relative start keeps the"
                            + " time it resolved to.")
    private @Nullable StreamTime start;

    @Option(
            names = "--end",
            paramLabel = "TIME",
            description = "Last commit timestamp, inclusive: 2026-01-31T12:00:00Z, now, +10s. Default: none. A stored"
                    + " subscription keeps the time that a relative end resolved to at its first run.")
    private @Nullable StreamTime end;

    @Option(
            names = "--snapshot",
            description =
                    "Begin a new subscription with the rows of the watched tables as of now, as inserts, followed by"
                            + " the changes after it.")
    private boolean snapshot;

    @Mixin
    private final PrintArguments printArguments = new PrintArguments();

    @Mixin
    private final FilterArguments filterArguments = new FilterArguments();

    @Option(names = "--limit", paramLabel = "N", description = "End after this many records. Default: no limit.")
    private @Nullable Long limit;

    @Option(
            names = "--heartbeat-interval",
            paramLabel = "DURATION",
            description = "Heartbeat interval of idle partitions, 100ms to 5m. Default: 10s.")
    private Duration heartbeatInterval = SubscriberOptions.defaults().heartbeatInterval();

    @Option(
            names = "--max-inflight",
            paramLabel = "N",
            description = "Maximum number of records of a partition in flight, 1 to 1000. Default: 1.")
    private int maxInflight = SubscriberOptions.defaults().maxInflight();

    @Option(
            names = "--ordering",
            paramLabel = "ORDER",
            description = "Scope of ordered delivery: partition, key or none. Default: partition with one record in"
                    + " flight, key with more.")
    private @Nullable Ordering ordering;

    @Mixin
    private final SinkArguments sinkArguments = new SinkArguments();

    @Mixin
    private final TransactionArguments transactionArguments = new TransactionArguments();

    @Mixin
    private final ReadingArguments readingArguments = new ReadingArguments();

    @Mixin
    private final StorageArguments storageArguments = new StorageArguments();

    @Option(names = "--create-table", description = "With --storage spanner: create the tables where they are missing.")
    private boolean createTable;

    @Option(
            names = "--worker",
            paramLabel = "NAME",
            description =
                    "With --storage jdbc or spanner: name of this worker; a random suffix is added. Default: random.")
    private @Nullable String worker;

    @Option(
            names = "--lease-time",
            paramLabel = "DURATION",
            description =
                    "With --storage jdbc or spanner: time after its last renewal at which a lease expires and another"
                            + " worker may take the partition over, 100ms to 1h. Default: 15s.")
    private Duration leaseTime = SubscriberOptions.defaults().leaseTime();

    @Option(
            names = "--http",
            paramLabel = "[HOST:]PORT",
            description = "Serve HTTP on this port, 0 for any free one: /health, /ready, /metrics, and a status page."
                    + " Listens on localhost only, unless a host is given, such as 0.0.0.0:8080. Default: no HTTP"
                    + " server.")
    private @Nullable HttpAddress http;

    @Option(
            names = "--demo",
            description = {
                "Write to a database of its own while partitions split and merge, print the changes, and compare"
                        + " them with the commits. Uses an embedded emulator unless an emulator host is given."
            })
    private boolean demo;

    @Mixin
    private final DemoArguments demoArguments = new DemoArguments();

    /** Lets the command accept keys of plug-ins as flags, which it cannot configure itself. */
    public static void takeKeys(CommandLine commands) {
        commands.getSubcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .filter(command -> command.userObject() instanceof TailCommand)
                .forEach(command -> command.parser().unmatchedArgumentsAllowed(true));
    }

    @Override
    public Integer call() throws Exception {
        verbosity.apply();
        if (demoArguments.faults()) {
            verbosity.expectRepetitions();
        }
        boolean toSink = sinkArguments.given();
        refuse(demo ? NOT_IN_DEMO : DemoArguments.NAMES, demo ? " cannot be combined with --demo" : " needs --demo");
        require(!demo || !toSink, "keys of plug-ins cannot be combined with --demo");
        requireBetween("--max-inflight", maxInflight, 1, SubscriberOptions.MAX_MAX_INFLIGHT);
        if (toSink) {
            refuse(
                    PrintArguments.NAMES,
                    " cannot be combined with --sink, --config or --plugins: the sink prints nothing");
            return new Service(config(), name(), Optional.ofNullable(http), ConfiguredPanels::none).run();
        }
        Output output = new Output(
                new FileOutputStream(FileDescriptor.out),
                printArguments.format(),
                printArguments.allRecords(),
                new WatermarkProgress(System.err, InstantSource.system()),
                Terminal.watched());
        try {
            return demo ? demo(output) : tail(output);
        } finally {
            output.progress().line().end();
        }
    }

    private Operations<HttpEndpoints> operations(String stream) {
        return new Operations<>(Optional.ofNullable(http), where -> new HttpEndpoints(where, stream, PageParts.NONE));
    }

    private int tail(Output output) throws Exception {
        Tail.Settings settings = settings();
        try (Operations<HttpEndpoints> operations = operations(settings.stream())) {
            return operations.show(new Tail(settings, output, operations)::run);
        }
    }

    private int demo(Output output) throws Exception {
        Demo.Settings settings = demoArguments.settings(
                maxInflight, Optional.ofNullable(ordering), transactionArguments.mode(), streamArguments);
        try (Operations<HttpEndpoints> operations = operations(DemoDatabase.STREAM)) {
            return operations.show(new Demo(settings, output, operations)::run);
        }
    }

    /** Returns the configuration of the file, with the flags, which win over it. */
    private SpreamConfig config() {
        readingArguments.checkValues(streamArguments);
        checkOptions();
        SpreamConfig.Builder config = sinkArguments.builder();
        Map<String, String> source = readingArguments.keysOfFlags(streamArguments);
        if (!source.isEmpty()) {
            config.set("source", "spanner");
        }
        source.forEach((key, value) -> config.set("source.spanner." + key, literal(value)));
        StorageChoice storage = storage();
        storageArguments.keys(storage).forEach((key, value) -> config.set(key, literal(value)));
        if (storage instanceof StorageChoice.Memory) {
            sinkArguments.standApart(config);
        }
        filterArguments.keys().forEach((key, value) -> config.set(key, literal(value)));
        times(storage);
        set(config, "--start", "start", start);
        set(config, "--end", "end", end);
        set(config, "--snapshot", "snapshot", snapshot);
        set(config, "--heartbeat-interval", "heartbeat-interval", DurationArgument.format(heartbeatInterval));
        set(config, "--max-inflight", "max-inflight", maxInflight);
        set(
                config,
                "--ordering",
                "ordering",
                ordering == null ? null : ordering.name().toLowerCase(Locale.ROOT));
        set(config, "--lease-time", "lease-time", DurationArgument.format(leaseTime));
        set(config, "--worker", "worker", worker);
        transactionArguments
                .given()
                .ifPresent(mode -> config.set(
                        "transaction-mode", mode.name().toLowerCase(Locale.ROOT).replace('_', '-')));
        return config.build();
    }

    private void set(SpreamConfig.Builder config, String option, String key, @Nullable Object value) {
        if (value != null && spec.commandLine().getParseResult().hasMatchedOption(option)) {
            config.set(key, literal(value.toString()));
        }
    }

    /** Returns the text of a value that refers to nothing. */
    private static String literal(String value) {
        return value.replace("${", "$${");
    }

    private Tail.Settings settings() {
        readingArguments.check(streamArguments);
        checkOptions();
        ChangeFilter filter = filterArguments.filter();
        StorageChoice storage = storage();
        StreamTimes times = times(storage);
        SubscriberOptions.Builder options = SubscriberOptions.builder()
                .snapshot(snapshot)
                .heartbeatInterval(heartbeatInterval)
                .maxInflight(maxInflight)
                .leaseTime(leaseTime);
        options.transactionMode(transactionArguments.mode());
        Optional.ofNullable(ordering).ifPresent(options::ordering);
        worker().ifPresent(options::worker);
        return new Tail.Settings(
                streamArguments.stream().orElseThrow(),
                readingArguments.keys(streamArguments),
                storage,
                times,
                filter,
                limit == null ? Long.MAX_VALUE : limit,
                options);
    }

    /** Validates the options of the subscription. */
    private void checkOptions() {
        require(limit == null || limit >= 1, "--limit is %d, must be 1 or more".formatted(limit));
        requireWithin(
                "--heartbeat-interval",
                heartbeatInterval,
                SubscriberOptions.MIN_HEARTBEAT_INTERVAL,
                SubscriberOptions.MAX_HEARTBEAT_INTERVAL);
        requireWithin("--lease-time", leaseTime, MIN_LEASE_TIME, MAX_LEASE_TIME);
        require(!snapshot || start == null, "--snapshot cannot be combined with --start: a snapshot starts now");
        require(
                !snapshot || transactionArguments.mode() != TransactionMode.COMMIT_ORDER,
                "--snapshot cannot be combined with --commit-order: its rows have one commit timestamp; use --whole-transactions");
        worker();
    }

    private StorageChoice storage() {
        StorageChoice storage = storageArguments.ofReader(streamArguments);
        if (!storage.isShared()) {
            refuse(SHARED_ONLY, " needs a storage that workers share: --storage jdbc or spanner");
        }
        return createTable && storage instanceof StorageChoice.Spanner spanner ? spanner.creating() : storage;
    }

    /** Returns the times, validated as far as possible without the stored subscription. */
    private StreamTimes times(StorageChoice storage) {
        StreamTimes times = new StreamTimes(Optional.ofNullable(start), Optional.ofNullable(end));
        if (storage.isShared() && (times.hasRelative() || start == null)) {
            return times;
        }
        Instant now = Instant.now();
        Optional<Instant> from = times.start().map(time -> time.at(now));
        Optional<Instant> until = times.end().map(time -> time.at(now));
        if (from.isPresent() && until.isPresent()) {
            require(
                    !until.get().isBefore(from.get()),
                    "--end %s is before --start %s".formatted(until.get(), from.get()));
        }
        require(
                from.isPresent() || until.isEmpty() || until.get().isAfter(now),
                "--end is past, and without --start it would start now");
        return times;
    }

    private Optional<WorkerId> worker() {
        require(
                worker == null || (!worker.isEmpty() && worker.length() <= MAX_WORKER_LENGTH),
                "--worker must have 1 to %d characters".formatted(MAX_WORKER_LENGTH));
        return Optional.ofNullable(worker)
                .map(name ->
                        new WorkerId(name + "-" + UUID.randomUUID().toString().substring(0, 8)));
    }

    private static void requireWithin(String option, Duration value, Duration min, Duration max) {
        require(
                value.compareTo(min) >= 0 && value.compareTo(max) <= 0,
                "%s is %s, must be %s to %s"
                        .formatted(
                                option,
                                DurationArgument.format(value),
                                DurationArgument.format(min),
                                DurationArgument.format(max)));
    }

    private void refuse(List<String> options, String problem) {
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            if (options.contains(option.longestName())) {
                throw new UsageFailure(option.longestName() + problem);
            }
        }
    }
}
