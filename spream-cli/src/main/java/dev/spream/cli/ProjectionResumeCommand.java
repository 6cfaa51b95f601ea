package dev.spream.cli;

import dev.spream.api.ProjectionDesk;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Lets a projection go on. */
@Command(
        name = "resume",
        description = "Lets a projection go on that was paused or has failed, from where it was.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        footer = {"", "One that has failed fails again, unless what it failed of is mended: show says what that was."})
final class ProjectionResumeCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Mixin
    private final ProjectionArguments arguments = new ProjectionArguments();

    @Mixin
    private final ProjectionActArguments by = new ProjectionActArguments();

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() {
        Act act = by.act();
        try (ProjectionDesk desk = arguments.open(others)) {
            ProjectionOperations projections = desk.operations();
            if (projections.resume(projection.name(), act)) {
                say("resume %s: %s".formatted(projection, "it goes on within a second or so, wherever it is run"));
                return ExitCode.OK;
            }
            ProjectionDetails now = projection.find(projections);
            say("left %s: it is %s; %s"
                    .formatted(
                            projection,
                            ProjectionLines.status(now.state()),
                            "only one that is paused or has failed can go on, and nothing was changed"));
            return ExitCode.SOFTWARE;
        }
    }

    private void say(String line) {
        spec.commandLine().getErr().println(line);
    }
}
