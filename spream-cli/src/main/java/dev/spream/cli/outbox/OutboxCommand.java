package dev.spream.cli.outbox;

import dev.spream.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** The commands for an outbox. */
@Command(
        name = "outbox",
        description = "Looks at an outbox, changes entries by hand with an audit, and runs its worker.",
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
            "1:failure, or something was refused or left",
            "2:usage, or a configuration that cannot be used"
        },
        footer = {
            "",
            "Everything but run works while workers run, and leaves entries alone that they are sending. It neither creates"
                    + " nor migrates tables, unless outbox.jdbc.migrate=true is given."
        })
public final class OutboxCommand extends CommandGroup {}
