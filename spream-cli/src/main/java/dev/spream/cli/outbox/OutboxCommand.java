package dev.spream.cli.outbox;

import dev.spream.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** The command group for an outbox. */
@Command(
        name = "outbox",
        description = "Inspects an outbox, applies audited operator actions to entries, and runs its worker.",
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
        exitCodeList = {
            "0:success",
            "1:failure, or some entries were not changed",
            "2:usage error or invalid configuration"
        },
        footer = {
            "",
            "All commands but run work beside running workers and leave entries that are being sent unchanged."
                    + " Tables are neither created nor migrated, unless outbox.jdbc.migrate=true is given."
        })
public final class OutboxCommand extends CommandGroup {}
