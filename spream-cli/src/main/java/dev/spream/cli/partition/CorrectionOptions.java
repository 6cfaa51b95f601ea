package dev.spream.cli.partition;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.cli.command.ActorArgument;
import dev.spream.core.partition.CorrectionAct;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The confirmation, the actor and the reason of a correction. */
final class CorrectionOptions {
    @Option(names = "--dry-run", description = "Print what would change, and write nothing.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Confirm the operation.")
    private boolean yes;

    @Mixin
    private final ActorArgument actor = new ActorArgument();

    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "Reason, recorded in the audit. Required, except with --dry-run.")
    private String reason = "";

    boolean isDryRun() {
        return dryRun;
    }

    void requireConfirmed() {
        require(
                dryRun || yes,
                "the stored subscription will be changed: review the change with --dry-run, and add --yes");
        require(dryRun || !reason.isBlank(), "the audit needs a reason: --reason TEXT");
    }

    CorrectionAct act() {
        return new CorrectionAct(actor.name(), reason);
    }
}
