package dev.spream.cli;

import dev.spream.api.ProjectionDesk;
import dev.spream.core.projection.ProjectionOperations;
import dev.spream.core.projection.ProjectionOperations.Act;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
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

/** Begins another version of a projection. */
@Command(
        name = "rebuild",
        description =
                "Has another version of a projection built from its events, beside the one that is live, by whoever runs it.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        footer = {
            "",
            "Nobody reads the new version, and no side effects are its, until spream projection cutover.",
            "",
            "Try: spream projection rebuild entries --reason 'counts items' --watch"
        })
final class ProjectionRebuildCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Mixin
    private final ProjectionArguments arguments = new ProjectionArguments();

    @Option(
            names = "--from-position",
            paramLabel = "P",
            defaultValue = "0",
            description = "Begin behind this position of the events. Default: ${DEFAULT-VALUE}, all events.")
    private long from;

    @Option(
            names = "--revision",
            paramLabel = "N",
            description = "Of the code that is to build it. Default: that of the live version.")
    private @Nullable Integer revision;

    @Option(names = "--watch", description = "Show how far it is until it has caught up. It goes on if this is ended.")
    private boolean watch;

    @Mixin
    private final ProjectionActArguments by = new ProjectionActArguments();

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() {
        if (from < 0) {
            throw usage("--from-position is %d, must be 0 or more".formatted(from));
        }
        if (revision != null && revision < 1) {
            throw usage("--revision is %d; revisions count from 1".formatted(revision));
        }
        Act act = by.act();
        try (ProjectionDesk desk = arguments.open(others)) {
            ProjectionOperations projections = desk.operations();
            projection.find(projections);
            OptionalInt code = revision == null ? OptionalInt.empty() : OptionalInt.of(revision);
            int version = projections.rebuilds().rebuild(projection.name(), code, from, act);
            say("rebuild %s: version %d is built by whoever runs its code; spream projection cutover makes it live"
                    .formatted(projection, version));
            return watch
                    ? new RebuildWatch(
                                    projections,
                                    projection.name(),
                                    version,
                                    spec.commandLine().getErr(),
                                    Terminal.watched())
                            .run()
                    : ExitCode.OK;
        } catch (IllegalStateException e) { // it cannot be done as things are
            say("left %s: %s".formatted(projection, PlainText.of(String.valueOf(e.getMessage()))));
            return ExitCode.SOFTWARE;
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private void say(String line) {
        spec.commandLine().getErr().println(line);
    }
}
