package dev.spream.cli;

import com.google.cloud.spanner.Options.RpcPriority;
import dev.spream.core.consume.Ordering;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.StreamName;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Reads the flags of {@code tail}, refuses what cannot be meant, and hands the rest to {@link Tail} or {@link Demo}. */
@Command(
        name = "tail",
        description = "Prints the changes of a change stream, one line of JSON each.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:success, also when a signal ended it and all work was finished", "1:failure", "2:usage"},
        footer = {
            "",
            "The first SIGINT or SIGTERM finishes what has started and ends; the second interrupts it.",
            "Records are printed at least once, those of one key in commit order unless --ordering is none."
        })
final class TailCommand implements Callable<Integer> {
    private static final Instant FIRST_TIMESTAMP = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LAST_TIMESTAMP = Instant.parse("9999-12-31T23:59:59.999999999Z");
    private static final Duration DEMO_DURATION = Duration.ofSeconds(5);
    private static final Duration MAX_DEMO_DURATION = Duration.ofHours(1);
    private static final List<String> DEMO_ONLY =
            List.of("--seed", "--transactions", "--dialect", "--duration", "--faults");
    private static final List<String> NOT_IN_DEMO = List.of(
            "--database",
            "--stream",
            "--start",
            "--end",
            "--heartbeat-interval",
            "--priority",
            "--role",
            "--request-tag",
            "--limit");

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    @Option(
            names = {"-d", "--database"},
            paramLabel = "NAME",
            description = "The database: projects/<project>/instances/<instance>/databases/<database>.")
    private @Nullable DatabaseName database;

    @Option(
            names = {"-s", "--stream"},
            paramLabel = "NAME",
            description = "The change stream.")
    private @Nullable String stream;

    @Option(
            names = "--start",
            paramLabel = "TIME",
            description = "The first commit timestamp, inclusive: 2026-01-31T12:00:00Z, -5m. Default: now.")
    private @Nullable TimeArgument start;

    @Option(
            names = "--end",
            paramLabel = "TIME",
            description = "The last commit timestamp, inclusive: 2026-01-31T12:00:00Z, now, +10s. Default: none.")
    private @Nullable TimeArgument end;

    @Option(names = "--limit", paramLabel = "N", description = "End after this many records. Default: no limit.")
    private @Nullable Long limit;

    @Option(
            names = "--heartbeat-interval",
            paramLabel = "DURATION",
            description = "How often an idle partition shows life, 100ms to 5m. Default: 10s.")
    private Duration heartbeatInterval = SubscriberOptions.defaults().heartbeatInterval();

    @Option(
            names = "--max-inflight",
            paramLabel = "N",
            description = "How many records of a partition may be read ahead, 1 to 1000. Default: 1.")
    private int maxInflight = SubscriberOptions.defaults().maxInflight();

    @Option(
            names = "--ordering",
            paramLabel = "ORDER",
            description = "Which records wait for which: partition, key or none. Default: partition with one record in"
                    + " flight, key with more.")
    private @Nullable Ordering ordering;

    @Option(
            names = "--priority",
            paramLabel = "LEVEL",
            description = "The priority of the queries: low, medium or high. Default: high.")
    private RpcPriority priority = RpcPriority.HIGH;

    @Option(names = "--role", paramLabel = "NAME", description = "The database role to read as.")
    private @Nullable String role;

    @Option(names = "--request-tag", paramLabel = "TAG", description = "A tag that Spanner's query statistics show.")
    private @Nullable String requestTag;

    @Option(
            names = "--emulator-host",
            paramLabel = "HOST:PORT",
            description = "An emulator to read from. Default: the environment's SPANNER_EMULATOR_HOST, if set.")
    private @Nullable String emulatorHost;

    @Option(
            names = "--demo",
            description = {
                "Write to a database of its own while partitions split and merge, print the changes, and compare them with"
                        + " what was committed. It runs on an embedded emulator unless an emulator host is given."
            })
    private boolean demo;

    @Option(
            names = "--faults",
            description = "With --demo: break, stall, cut short and repeat the streams, on the embedded emulator.")
    private boolean faults;

    @Option(
            names = "--transactions",
            paramLabel = "N",
            description = "With --demo: how many transactions to commit. Default: as many as fit in the duration.")
    private @Nullable Integer transactions;

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            description = "With --demo: how long to write; a number of transactions is spread over it. Default: 5s.")
    private Duration duration = DEMO_DURATION;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description =
                    "With --demo: what the transfers, the partitions and the faults follow from. Default: random.")
    private @Nullable Long seed;

    @Option(
            names = "--dialect",
            paramLabel = "NAME",
            description = "With --demo: googlesql or postgresql. Default: googlesql.")
    private DialectName dialect = DialectName.GOOGLESQL;

    @Override
    public Integer call() throws Exception {
        verbosity.apply();
        if (faults) {
            verbosity.expectRepetitions();
        }
        refuse(demo ? NOT_IN_DEMO : DEMO_ONLY, demo ? " does not go with --demo" : " needs --demo");
        require(
                maxInflight >= 1 && maxInflight <= SubscriberOptions.MAX_MAX_INFLIGHT,
                "--max-inflight is %d, must be 1 to %d".formatted(maxInflight, SubscriberOptions.MAX_MAX_INFLIGHT));
        Output output = new Output(
                new FileOutputStream(FileDescriptor.out),
                new Progress(System.err, InstantSource.system()),
                Terminal.watched());
        try {
            return demo ? new Demo(demoSettings(), output).run() : new Tail(settings(), output).run();
        } finally {
            output.progress().end();
        }
    }

    private Tail.Settings settings() {
        if (database == null) {
            throw usage("--database is missing; --demo needs none");
        }
        if (stream == null) {
            throw usage("--stream is missing");
        }
        requireStreamName(stream);
        require(limit == null || limit >= 1, "--limit is %d, must be 1 or more".formatted(limit));
        require(
                heartbeatInterval.compareTo(SubscriberOptions.MIN_HEARTBEAT_INTERVAL) >= 0
                        && heartbeatInterval.compareTo(SubscriberOptions.MAX_HEARTBEAT_INTERVAL) <= 0,
                "--heartbeat-interval is %s, must be %s to %s"
                        .formatted(
                                DurationArgument.format(heartbeatInterval),
                                DurationArgument.format(SubscriberOptions.MIN_HEARTBEAT_INTERVAL),
                                DurationArgument.format(SubscriberOptions.MAX_HEARTBEAT_INTERVAL)));
        Instant now = Instant.now();
        Optional<Instant> from = Optional.ofNullable(start).map(time -> time.at(now));
        Optional<Instant> until = Optional.ofNullable(end).map(time -> time.at(now));
        if (from.isPresent() && until.isPresent() && until.get().isBefore(from.get())) {
            throw usage("--end %s is before --start %s".formatted(until.get(), from.get()));
        }
        from.ifPresent(time -> requireTimestamp("--start", time));
        until.ifPresent(time -> requireTimestamp("--end", time));
        require(
                from.isPresent() || until.isEmpty() || until.get().isAfter(now),
                "--end is past, and without --start it would start now");
        return new Tail.Settings(
                database,
                stream,
                from,
                until,
                limit == null ? OptionalLong.empty() : OptionalLong.of(limit),
                heartbeatInterval,
                maxInflight,
                Optional.ofNullable(ordering),
                priority,
                Optional.ofNullable(role),
                Optional.ofNullable(requestTag),
                EmulatorHost.find(spec.commandLine(), emulatorHost));
    }

    private void requireTimestamp(String option, Instant time) {
        require(
                !time.isBefore(FIRST_TIMESTAMP) && !time.isAfter(LAST_TIMESTAMP),
                "%s %s is no timestamp of Spanner's: expected the years 1 to 9999".formatted(option, time));
    }

    private Demo.Settings demoSettings() {
        require(
                transactions == null || transactions >= 1,
                "--transactions is %d, must be 1 or more".formatted(transactions));
        require(
                duration.isPositive() && duration.compareTo(MAX_DEMO_DURATION) <= 0,
                "--duration is %s, must be 1ms to %s"
                        .formatted(DurationArgument.format(duration), DurationArgument.format(MAX_DEMO_DURATION)));
        require(
                !faults || EmulatorHost.named(emulatorHost).isEmpty(),
                "--faults needs the embedded emulator; take away --emulator-host and SPANNER_EMULATOR_HOST");
        return new Demo.Settings(
                dialect,
                seed == null ? RandomGenerator.getDefault().nextInt(1_000_000) : seed,
                Optional.ofNullable(transactions),
                duration,
                maxInflight,
                Optional.ofNullable(ordering),
                faults,
                EmulatorHost.find(spec.commandLine(), emulatorHost));
    }

    private void refuse(List<String> options, String problem) {
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            if (options.contains(option.longestName())) {
                throw usage(option.longestName() + problem);
            }
        }
    }

    private void requireStreamName(String name) {
        try {
            new StreamName(name);
        } catch (IllegalArgumentException e) {
            throw usage("--stream: " + e.getMessage());
        }
    }

    private void require(boolean condition, String message) {
        if (!condition) {
            throw usage(message);
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
