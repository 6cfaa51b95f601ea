package dev.spream.cli.outbox;

import static dev.spream.cli.command.UsageFailure.require;
import static dev.spream.cli.command.UsageFailure.required;

import dev.spream.api.ConfiguredOutbox;
import dev.spream.cli.command.FileArgument;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.command.UsageFailure;
import dev.spream.core.record.Json;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.ReasonCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Settles entries with the outcome known to the operator. */
@Command(
        name = "settle",
        description = "Settles an entry with its actual outcome, known to the operator; the ledger records it"
                + " permanently.",
        footer = {
            "",
            "Try: spream outbox settle 42 --succeeded --why 'the broker has it, ticket 4711'",
            "     spream outbox settle 42 --failed REJECTED --http-status 422 --why 'the broker refused it'"
        })
final class OutboxSettleCommand extends Subcommand {
    private static final int OK = 200;

    @Mixin
    private final OutboxArguments arguments = new OutboxArguments();

    @Mixin
    private final EntryArguments entries = new EntryArguments();

    @Option(names = "--succeeded", description = "The receiver has accepted it.")
    private boolean succeeded;

    @Option(
            names = "--failed",
            paramLabel = "CODE",
            description = "The receiver has not accepted it and never will, for this reason, such as REJECTED.")
    private @Nullable ReasonCode failed;

    @Option(
            names = "--http-status",
            paramLabel = "N",
            description = "HTTP status returned to a client that asks. Default: 200, or the status of the reason.")
    private @Nullable Integer httpStatus;

    @Option(
            names = "--response",
            paramLabel = "FILE",
            description = "File with the receiver's response as JSON, for the ledger.")
    private @Nullable Path response;

    @Mixin
    private final OperatorOptions by = new OperatorOptions();

    @Override
    public Integer call() {
        requireClear();
        OperatorAction act = by.action();
        LedgerResult result = result();
        try (ConfiguredOutbox configured = arguments.open()) {
            OutboxOperations outbox = configured.operations();
            return new OutboxChange("settle", outbox, id -> outbox.settle(id, result, act), err())
                    .entries(entries.ids(outbox));
        }
    }

    private void requireClear() {
        entries.requireIds();
        require(entries.isOne(), "the entry is missing: add its id or --key");
        require(succeeded == (failed == null), "the outcome is missing: add --succeeded or --failed CODE");
    }

    private LedgerResult result() {
        int implied = failed == null ? OK : failed.httpStatus();
        return required(
                "",
                () -> new LedgerResult(
                        failed == null ? LedgerStatus.SUCCEEDED : LedgerStatus.FAILED,
                        httpStatus == null ? implied : httpStatus,
                        Optional.ofNullable(response).map(this::json),
                        Optional.ofNullable(failed)));
    }

    private String json(Path file) {
        try {
            String text = FileArgument.read(file);
            Json.parse(text);
            return text;
        } catch (IllegalArgumentException e) {
            throw new UsageFailure("--response '%s' is not JSON; nothing was changed".formatted(file));
        } catch (IOException e) {
            throw new UsageFailure("--response '%s' %s; nothing was changed".formatted(file, e.getMessage()));
        }
    }
}
