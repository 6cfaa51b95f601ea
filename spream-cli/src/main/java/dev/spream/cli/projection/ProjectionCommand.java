package dev.spream.cli.projection;

import dev.spream.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** The commands for projections. */
@Command(
        name = "projection",
        description =
                "Looks at projections, stops them and lets them go on, and has parked events tried again or skipped,"
                        + " splits them into other segments, and rebuilds them, with an audit.",
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
            ProjectionParityCommand.class,
            ProjectionCutoverCommand.class,
            ProjectionRollbackCommand.class,
            ProjectionDropCommand.class
        },
        exitCodeList = {
            "0:success",
            "1:failure, or something was refused or left",
            "2:usage, or a configuration that cannot be used"
        },
        footer = {
            "",
            "All of it works while projections run, wherever they do, and shows nothing of what events contain, unless"
                    + " --payload asks for it. It neither creates nor migrates tables, unless projections.jdbc.migrate=true is given."
        })
public final class ProjectionCommand extends CommandGroup {}
