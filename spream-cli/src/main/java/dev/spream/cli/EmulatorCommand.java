package dev.spream.cli;

import static dev.spream.cli.command.UsageFailure.require;
import static dev.spream.cli.command.UsageFailure.requireBetween;

import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.command.DurationArgument;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.command.UsageFailure;
import dev.spream.cli.command.Verbosity;
import dev.spream.cli.service.StopSignals;
import dev.spream.cli.storage.EmulatorHost;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Runs the emulator until a signal. */
@Command(
        name = "emulator",
        description = "Runs a Spanner emulator with change streams in this process, for programs in any language.",
        footer = {
            "",
            "Databases are kept in memory and are lost when the command ends, on SIGINT or SIGTERM. With --over, the other"
                    + " server keeps them; the partitions of their change streams are lost."
        })
final class EmulatorCommand extends Subcommand {
    private static final int MAX_PORT = 65_535;

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    @Option(names = "--port", paramLabel = "N", description = "The port; 0 takes a free one. Default: 9010.")
    private int port = 9010;

    @Option(names = "--host", paramLabel = "HOST", description = "The address to listen on. Default: 127.0.0.1.")
    private String host = "127.0.0.1";

    @Option(
            names = "--over",
            paramLabel = "HOST:PORT",
            description =
                    "Google's emulator, which then holds the databases and answers everything but the change streams.")
    private @Nullable String over;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the partition churn and the faults. Default: random.")
    private @Nullable Long seed;

    @Option(
            names = "--churn",
            paramLabel = "DURATION|off",
            description = "Mean interval between splits, merges and moves of partitions. Default: 20s.")
    private String churn = "20s";

    @Option(
            names = "--faults",
            paramLabel = "SHARE",
            description = "Share of the change stream queries that fail, stall, end early or repeat rows, 0 to 0.9."
                    + " Default: 0.")
    private double faults;

    @Override
    public Integer call() throws InterruptedException {
        verbosity.apply();
        try (StopSignals signals = StopSignals.install(() -> {}, () -> {});
                SpannerEmulator emulator = start()) {
            System.err.printf("export SPANNER_EMULATOR_HOST=%s%n", emulator.emulatorHost());
            signals.awaitFirst();
        }
        return ExitCode.OK;
    }

    private SpannerEmulator start() {
        requireBetween("--port", port, 0, MAX_PORT);
        require(
                faults >= 0 && faults <= FaultRates.MAX_SHARE,
                "--faults is %s, must be 0 to %s".formatted(faults, FaultRates.MAX_SHARE));
        SpannerEmulator.Builder builder = SpannerEmulator.builder()
                .host(host)
                .port(port)
                .churn(parseChurn())
                .faults(FaultRates.share(faults));
        Optional.ofNullable(seed).ifPresent(builder::seed);
        if (over != null) {
            EmulatorHost.requireAnswer(over, "--over");
            builder.over(over);
        }
        try {
            return builder.start();
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof ConnectException) {
                throw new CommandFailure(String.valueOf(e.getMessage()), e);
            }
            throw new CommandFailure(
                    "cannot listen on %s:%d (%s): choose another --port, 0 for any free one, or correct --host"
                            .formatted(host, port, reason(e)),
                    e);
        }
    }

    private static String reason(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root instanceof UnresolvedAddressException ? "unknown host" : String.valueOf(root.getMessage());
    }

    private PartitionChurn parseChurn() {
        if (churn.equals("off")) {
            return PartitionChurn.none();
        }
        Duration interval = churnInterval();
        require(!interval.isZero(), "--churn is 0: use off to disable it");
        return PartitionChurn.every(interval);
    }

    private Duration churnInterval() {
        try {
            return DurationArgument.parse(churn);
        } catch (TypeConversionException e) {
            throw new UsageFailure("--churn: %s, or off".formatted(e.getMessage()));
        }
    }
}
