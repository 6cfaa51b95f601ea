package dev.spream.cli.deadletter;

import dev.spream.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** The commands for dead letters. */
@Command(
        name = "deadletters",
        description = "Lists, replays and discards dead letters, and releases parked keys.",
        subcommands = {
            DeadLettersListCommand.class,
            DeadLettersShowCommand.class,
            DeadLettersReplayCommand.class,
            DeadLettersReleaseCommand.class,
            DeadLettersDiscardCommand.class
        },
        exitCodeList = {
            "0:success",
            "1:failure, or something was refused or left",
            "2:usage, or a configuration that cannot be used"
        },
        footer = {
            "",
            "Dead letters in PostgreSQL can be used while the subscription runs. A file of dead letters is locked"
                    + " by the running subscription: stop it first."
        })
public final class DeadLettersCommand extends CommandGroup {}
