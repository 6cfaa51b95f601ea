package dev.spream.cli.projection;

import dev.spream.api.ConfiguredProjections;
import dev.spream.cli.command.Subcommand;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations.Act;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** Pauses a projection. */
@Command(
        name = "pause",
        description = "Pauses a projection in every process. After this command returns, the projection writes nothing"
                + " until it is resumed.",
        footer = {"", "Its events remain in their source: make sure that the source keeps them long enough."})
final class ProjectionPauseCommand extends Subcommand {
    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Mixin
    private final ProjectionOperatorOptions by = new ProjectionOperatorOptions();

    @Override
    public Integer call() {
        Act act = by.act();
        try (ConfiguredProjections configured = projection.open()) {
            if (configured.operations().pause(projection.name(), act)) {
                report("pause %s: paused in every process until spream projection resume", projection);
                return ExitCode.OK;
            }
            ProjectionDetails now = projection.find(configured.operations());
            report("%s is %s; nothing was changed", projection, ProjectionPrinter.status(now.state()));
            return ExitCode.SOFTWARE;
        }
    }
}
