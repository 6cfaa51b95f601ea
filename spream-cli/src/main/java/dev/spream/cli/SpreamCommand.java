package dev.spream.cli;

import picocli.CommandLine.Command;

/** The command without a subcommand: it has only help to offer. */
@Command(
        name = "spream",
        description = "Reads Cloud Spanner change streams.",
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
        exitCodeList = {"0:success, also when a signal ended it and all work was finished", "1:failure", "2:usage"},
        footer = {"", "Try: spream tail --demo"})
final class SpreamCommand extends CommandGroup {}
