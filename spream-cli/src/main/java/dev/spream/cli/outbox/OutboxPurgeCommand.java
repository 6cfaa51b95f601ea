package dev.spream.cli.outbox;

import static dev.spream.cli.command.UsageFailure.requireBetween;

import dev.spream.api.ConfiguredOutbox;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.output.ProgressLine;
import dev.spream.cli.service.StopSignals;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OutboxOperations;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Removes old settled entries. */
@Command(
        name = "purge",
        description = "Removes old settled entries in batches; their records in the ledger stay unless"
                + " --ledger-older-than is given.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every entry of that age is removed",
            "1:failure, or a signal stopped it",
            "2:usage error or invalid configuration"
        },
        footer = {
            "",
            "A request that is repeated after the ledger has forgotten it is executed again: keep the ledger for"
                    + " longer than any client repeats.",
            "",
            "Try: spream outbox purge --older-than 7d --ledger-older-than 90d"
        })
final class OutboxPurgeCommand extends Subcommand {
    private static final int MAX_CHUNK = 100_000;

    @Mixin
    private final OutboxArguments arguments = new OutboxArguments();

    @Option(
            names = "--older-than",
            paramLabel = "DURATION",
            required = true,
            description = "Remove entries settled longer ago than this, such as 7d.")
    private @Nullable Duration olderThan;

    @Option(
            names = "--ledger-older-than",
            paramLabel = "DURATION",
            description = "Remove requests settled longer ago than this from the ledger, unless the outbox still"
                    + " has them.")
    private @Nullable Duration ledgerOlderThan;

    @Option(
            names = "--chunk",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Number of rows removed per transaction. Default: ${DEFAULT-VALUE}.")
    private int chunk;

    @Mixin
    private final OperatorOptions by = new OperatorOptions();

    private final AtomicBoolean stopped = new AtomicBoolean();

    @Override
    public Integer call() {
        requireBetween("--chunk", chunk, 1, MAX_CHUNK);
        OperatorAction act = by.act();
        Runnable stop = () -> stopped.set(true);
        StopSignals signals = StopSignals.install(stop, stop);
        try (ConfiguredOutbox configured = arguments.open()) {
            OutboxOperations outbox = configured.operations();
            Duration settledFor = olderThan == null ? Duration.ZERO : olderThan;
            long entries = removeAll("entries", () -> outbox.purge(settledFor, chunk, act));
            Duration forgotten = ledgerOlderThan;
            long requests =
                    forgotten == null ? 0 : removeAll("requests", () -> outbox.pruneLedger(forgotten, chunk, act));
            report(
                    "purge: %s%s%s",
                    removed(entries, "entries"),
                    forgotten == null ? "" : ", " + removed(requests, "requests of the ledger"),
                    stopped.get() ? "; stopped by a signal, the next run continues there" : "");
            return stopped.get() ? ExitCode.SOFTWARE : ExitCode.OK;
        } finally {
            signals.close();
        }
    }

    private long removeAll(String what, IntSupplier removal) {
        try (RemovalProgress progress = new RemovalProgress(new ProgressLine(), what)) {
            int last = chunk;
            while (last == chunk && !stopped.get()) {
                last = removal.getAsInt();
                progress.removed(last);
            }
            return progress.sum();
        }
    }

    private static String removed(long count, String what) {
        return String.format(Locale.ROOT, "removed %,d %s", count, what);
    }
}
