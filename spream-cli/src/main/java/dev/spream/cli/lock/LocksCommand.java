package dev.spream.cli.lock;

import dev.spream.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** The command group for hierarchical locks. */
@Command(
        name = "locks",
        description = "Provisions and checks the buckets of hierarchical locks, and shows holders and waiters.",
        subcommands = {LocksProvisionCommand.class, LocksCheckCommand.class, LocksListCommand.class},
        exitCodeList = {"0:success", "1:failure, or a problem was found", "2:usage error or invalid configuration"})
public final class LocksCommand extends CommandGroup {}
