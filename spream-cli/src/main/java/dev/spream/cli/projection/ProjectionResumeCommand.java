package dev.spream.cli.projection;

import dev.spream.api.ConfiguredProjections;
import dev.spream.cli.command.Subcommand;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations.Act;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** Resumes a projection. */
@Command(
        name = "resume",
        description = "Resumes a projection that was paused or has failed, from its checkpoint.",
        footer = {"", "A failed projection fails again unless the cause is fixed; show reports the cause."})
final class ProjectionResumeCommand extends Subcommand {
    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Mixin
    private final ProjectionOperatorOptions by = new ProjectionOperatorOptions();

    @Override
    public Integer call() {
        Act act = by.act();
        try (ConfiguredProjections configured = projection.open()) {
            if (configured.operations().resume(projection.name(), act)) {
                report("resume %s: it continues within about a second, in every process that runs it", projection);
                return ExitCode.OK;
            }
            ProjectionDetails now = projection.find(configured.operations());
            report(
                    "%s is %s; only a paused or failed projection can be resumed, and nothing was changed",
                    projection, ProjectionPrinter.status(now.state()));
            return ExitCode.SOFTWARE;
        }
    }
}
