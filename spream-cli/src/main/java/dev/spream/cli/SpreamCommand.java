package dev.spream.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command without a subcommand: it has only help to offer. */
@Command(
        name = "spream",
        description = "Reads Cloud Spanner change streams.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        subcommands = {
            TailCommand.class,
            RunCommand.class,
            ConfigCommand.class,
            PartitionsCommand.class,
            VerifyCommand.class,
            CleanupCommand.class,
            DeadLettersCommand.class,
            LocksCommand.class,
            OutboxCommand.class,
            ProjectionCommand.class,
            ExportCommand.class,
            EmulatorCommand.class
        },
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:success, also when a signal ended it and all work was finished", "1:failure", "2:usage"},
        footer = {"", "Try: spream tail --demo"})
final class SpreamCommand implements Runnable {
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
