package dev.spream.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What an operator does with changes that were set aside. */
@Command(
        name = "deadletters",
        description = "Looks at changes that were set aside, replays them, gives them up, and releases parked keys.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        subcommands = {
            DeadLettersListCommand.class,
            DeadLettersShowCommand.class,
            DeadLettersReplayCommand.class,
            DeadLettersReleaseCommand.class,
            DeadLettersDiscardCommand.class
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
            "Dead letters in PostgreSQL can be worked with while the subscription runs. A file of dead letters is the"
                    + " running subscription's alone: end that first."
        })
final class DeadLettersCommand implements Runnable {
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
