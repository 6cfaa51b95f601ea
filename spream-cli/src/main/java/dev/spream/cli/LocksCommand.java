package dev.spream.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What an operator does with hierarchical locks. */
@Command(
        name = "locks",
        description = "Makes what hierarchical locks are taken on, judges it, and shows who holds them.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        subcommands = {LocksProvisionCommand.class, LocksCheckCommand.class, LocksListCommand.class},
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:success",
            "1:failure, or something is wrong or left",
            "2:usage, or a configuration that cannot be used"
        })
final class LocksCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                spec.commandLine(),
                "a command is missing: " + String.join(", ", spec.subcommands().keySet()));
    }
}
