package dev.spream.cli;

import dev.spream.api.ProjectionDesk;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Has parked aggregates tried again. */
@Command(
        name = "retry",
        description = "Has parked aggregates tried again at once, with all attempts, by whoever runs the projection.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        footer = {
            "",
            "What their events failed of should be mended before. This returns at once: show says what became of them.",
            "",
            "Try: spream projection retry entries --all --reason 'the table is there now' --yes"
        })
final class ProjectionRetryCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Mixin
    private final ProjectionArguments arguments = new ProjectionArguments();

    @Option(names = "--key", paramLabel = "KEY", description = "The parked aggregate, by the id that show shows.")
    private @Nullable String key;

    @Option(names = "--all", description = "All that are parked.")
    private boolean all;

    @Option(names = "--yes", description = "With --all: it is meant.")
    private boolean yes;

    @Mixin
    private final ProjectionActArguments by = new ProjectionActArguments();

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() {
        requireClear();
        Act act = by.act();
        try (ProjectionDesk desk = arguments.open(others)) {
            ProjectionOperations projections = desk.operations();
            ProjectionDetails now = projection.find(projections);
            int found = projections.retry(projection.name(), Optional.ofNullable(key), act);
            if (key != null && found == 0) {
                say("left %s: it is not parked".formatted(PlainText.of(key)));
                return ExitCode.SOFTWARE;
            }
            say("retry %s: %d to be tried again%s".formatted(projection, found, when(now)));
            return ExitCode.OK;
        }
    }

    private void requireClear() {
        if (all == (key != null)) {
            throw usage("say which parked aggregates: --key KEY, or --all");
        }
        if (all && !yes) {
            throw usage(
                    "every aggregate that is parked would be tried again: look at them with projection show, and add"
                            + " --yes");
        }
    }

    private static String when(ProjectionDetails now) {
        ProjectionStatus status = now.state().status();
        return status == ProjectionStatus.RUNNING
                ? ""
                : ", when it goes on: it is %s".formatted(ProjectionLines.status(now.state()));
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private void say(String line) {
        spec.commandLine().getErr().println(line);
    }
}
