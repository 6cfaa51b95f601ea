package dev.spream.cli.deadletter;

import dev.spream.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** The command group for dead letters. */
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
            "1:failure, or some letters or keys were not processed",
            "2:usage error or invalid configuration"
        },
        footer = {
            "",
            "Dead letters in PostgreSQL can be used while the subscription runs. A file of dead letters is locked"
                    + " by the running subscription: stop it first."
        })
public final class DeadLettersCommand extends CommandGroup {}
