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

/** Stops a projection. */
@Command(
        name = "pause",
        description =
                "Stops a projection everywhere. When this is done, no effect of it is written any more until it is resumed.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        footer = {"", "Its events wait where they come from: see that they are kept there for long enough."})
final class ProjectionPauseCommand implements Callable<Integer> {
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
            if (projections.pause(projection.name(), act)) {
                say("pause %s: %s"
                        .formatted(
                                projection,
                                "no effect is written any more, wherever it runs, until spream projection resume"));
                return ExitCode.OK;
            }
            ProjectionDetails now = projection.find(projections);
            say("left %s: it is %s; %s"
                    .formatted(projection, ProjectionLines.status(now.state()), "nothing was changed"));
            return ExitCode.SOFTWARE;
        }
    }

    private void say(String line) {
        spec.commandLine().getErr().println(line);
    }
}
