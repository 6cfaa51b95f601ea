package dev.spream.cli.partition;

import dev.spream.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** The command group for a stored subscription. */
@Command(
        name = "subscription",
        description =
                "Shows a stored subscription, and corrects it while no worker reads it: moves its start or end, adds"
                        + " a gap or a snapshot of tables, begins anew; every correction is audited.",
        subcommands = {
            SubscriptionShowCommand.class,
            MoveEndCommand.class,
            MoveStartCommand.class,
            AddGapCommand.class,
            AddSnapshotCommand.class,
            BeginAnewCommand.class
        },
        exitCodeList = {
            "0:success, also if the subscription was as requested",
            "1:failure, or the correction was refused and nothing was changed",
            "2:usage"
        },
        footer = {
            "",
            "Stop every worker first: a correction is refused while one is registered or holds a lease. --dry-run shows"
                    + " what a correction would change, and writes nothing. Dead letters and parked keys stay as they are."
        })
public final class SubscriptionCommand extends CommandGroup {}
