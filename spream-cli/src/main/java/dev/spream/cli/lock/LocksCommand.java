package dev.spream.cli.lock;

import dev.spream.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** The commands for hierarchical locks. */
@Command(
        name = "locks",
        description = "Provisions and checks the buckets of hierarchical locks, and shows holders and waiters.",
        subcommands = {LocksProvisionCommand.class, LocksCheckCommand.class, LocksListCommand.class},
        exitCodeList = {
            "0:success",
            "1:failure, or something is wrong or left",
            "2:usage, or a configuration that cannot be used"
        })
public final class LocksCommand extends CommandGroup {}
