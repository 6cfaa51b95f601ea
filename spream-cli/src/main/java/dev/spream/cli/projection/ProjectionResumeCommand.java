package dev.spream.cli.projection;

import dev.spream.api.ConfiguredProjections;
import dev.spream.cli.command.Subcommand;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations.Act;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** Lets a projection go on. */
@Command(
        name = "resume",
        description = "Lets a projection go on that was paused or has failed, from where it was.",
        footer = {"", "One that has failed fails again, unless what it failed of is mended: show says what that was."})
final class ProjectionResumeCommand extends Subcommand {
    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Mixin
    private final ProjectionOperatorOptions by = new ProjectionOperatorOptions();

    @Override
    public Integer call() {
        Act act = by.act();
        try (ConfiguredProjections desk = projection.open()) {
            if (desk.operations().resume(projection.name(), act)) {
                say("resume %s: it goes on within a second or so, wherever it is run", projection);
                return ExitCode.OK;
            }
            ProjectionDetails now = projection.find(desk.operations());
            say(
                    "left %s: it is %s; only one that is paused or has failed can go on, and nothing was changed",
                    projection, ProjectionPrinter.status(now.state()));
            return ExitCode.SOFTWARE;
        }
    }
}
