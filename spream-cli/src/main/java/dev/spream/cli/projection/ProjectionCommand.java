package dev.spream.cli.projection;

import dev.spream.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** The command group for projections. */
@Command(
        name = "projection",
        description = "Inspects, pauses, resumes, resegments and rebuilds projections, and retries or skips parked"
                + " events; every action is audited.",
        subcommands = {
            ProjectionListCommand.class,
            ProjectionShowCommand.class,
            ProjectionDeadLettersCommand.class,
            ProjectionAuditCommand.class,
            ProjectionPauseCommand.class,
            ProjectionResumeCommand.class,
            ProjectionRetryCommand.class,
            ProjectionSkipCommand.class,
            ProjectionSegmentsCommand.class,
            ProjectionRebuildCommand.class,
            ProjectionCompareCommand.class,
            ProjectionCutoverCommand.class,
            ProjectionRollbackCommand.class,
            ProjectionDropCommand.class
        },
        exitCodeList = {"0:success", "1:failure, or nothing was changed", "2:usage error or invalid configuration"},
        footer = {
            "",
            "All commands work while projections run in any process, and show no content of events without"
                    + " --payload. Tables are neither created nor migrated, unless projections.jdbc.migrate=true is given."
        })
public final class ProjectionCommand extends CommandGroup {}
