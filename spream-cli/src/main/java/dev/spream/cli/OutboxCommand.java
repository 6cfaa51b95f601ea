package dev.spream.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What an operator does with an outbox. */
@Command(
        name = "outbox",
        description = "Looks at an outbox, changes entries by hand with an audit, and runs its worker.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        subcommands = {
            OutboxStatsCommand.class,
            OutboxListCommand.class,
            OutboxShowCommand.class,
            OutboxRequeueCommand.class,
            OutboxSettleCommand.class,
            OutboxReleaseExpiredCommand.class,
            OutboxAbortCommand.class,
            OutboxPurgeCommand.class,
            OutboxRunCommand.class
        },
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:success",
            "1:failure, or something was refused or left",
            "2:usage, or a configuration that cannot be used"
        },
        footer = {
            "",
            "Everything but run works while workers run, and leaves entries alone that they are sending. It neither creates"
                    + " nor migrates tables, unless outbox.jdbc.migrate=true is given."
        })
final class OutboxCommand implements Runnable {
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
