package dev.spream.cli.lock;

import dev.spream.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** The commands for hierarchical locks. */
@Command(
        name = "locks",
        description = "Makes what hierarchical locks are taken on, judges it, and shows who holds them.",
        subcommands = {LocksProvisionCommand.class, LocksCheckCommand.class, LocksListCommand.class},
        exitCodeList = {
            "0:success",
            "1:failure, or something is wrong or left",
            "2:usage, or a configuration that cannot be used"
        })
public final class LocksCommand extends CommandGroup {}
