package dev.spream.cli;

import dev.spream.api.ProjectionDesk;
import dev.spream.core.projection.CutOver;
import dev.spream.core.projection.ProjectionOperations.Act;
import dev.spream.core.projection.ProjectionRebuilds;
import dev.spream.core.projection.VersionRole;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

/** Makes a version of a projection live that was live before. */
@Command(
        name = "rollback",
        description = "Makes a version of a projection live again, which followed meanwhile: a cut-over back.",
        sortOptions = false,
        footer = {"", "Try: spream projection rollback entries --yes --reason 'counts are wrong'"})
final class ProjectionRollbackCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Mixin
    private final ProjectionArguments arguments = new ProjectionArguments();

    /** Of the standard options the other one is called like the version of a projection. */
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    @SuppressWarnings("UnusedVariable") // that it is there is all that picocli needs
    private boolean help;

    @Option(names = "--version", paramLabel = "N", description = "Which. Default: the one that was live before.")
    private @Nullable Integer version;

    @Option(
            names = "--patience",
            paramLabel = "DURATION",
            defaultValue = "5s",
            description = "How long to wait for old readers, and then to hold the live version up, at most."
                    + " Default: ${DEFAULT-VALUE}.")
    private String patience = "";

    @Mixin
    private final LossArguments losses = new LossArguments();

    @Option(names = "--yes", description = "It is meant.")
    private boolean yes;

    @Mixin
    private final ProjectionActArguments by = new ProjectionActArguments();

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() {
        if (!yes) {
            throw new ParameterException(spec.commandLine(), "readers see another version from then on: add --yes");
        }
        Duration limit = DurationArgument.parse(patience);
        Act act = by.act();
        try (ProjectionDesk desk = arguments.open(others)) {
            projection.find(desk.operations());
            ProjectionRebuilds rebuilds = desk.operations().rebuilds();
            int chosen = ProjectionBuild.choose(rebuilds, projection.name(), version, VersionRole.RETIRED);
            CutOver done = rebuilds.cutOver(projection.name(), chosen, limit, losses.accepted(), act);
            say(ParityLines.done("rollback", done));
            return ExitCode.OK;
        } catch (IllegalStateException e) { // it cannot be done as things are
            say("left %s: %s".formatted(projection, PlainText.of(String.valueOf(e.getMessage()))));
            return ExitCode.SOFTWARE;
        }
    }

    private void say(String line) {
        spec.commandLine().getErr().println(line);
    }
}
