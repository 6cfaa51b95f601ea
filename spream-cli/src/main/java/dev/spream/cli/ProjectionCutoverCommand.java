package dev.spream.cli;

import dev.spream.api.ProjectionDesk;
import dev.spream.core.projection.CutOver;
import dev.spream.core.projection.Parity;
import dev.spream.core.projection.ProjectionOperations.Act;
import dev.spream.core.projection.ProjectionRebuilds;
import dev.spream.core.projection.VersionRole;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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

/** Makes another version of a projection live. */
@Command(
        name = "cutover",
        description =
                "Makes another version of a projection live, in one transaction: readers see the old read model or the new one, complete.",
        sortOptions = false,
        footer = {
            "",
            "The live version stands still until the other has caught up. The old one is kept and follows, so that spream"
                    + " projection rollback makes it live again, until spream projection drop.",
            "",
            "Try: spream projection cutover entries --parity --yes --reason 'counts items'"
        })
final class ProjectionCutoverCommand implements Callable<Integer> {
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

    @Option(names = "--version", paramLabel = "N", description = "Which. Default: the one that is being built.")
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

    @Option(names = "--parity", description = "Compare both before, and leave it if they differ.")
    private boolean parity;

    @Option(
            names = "--ignore",
            paramLabel = "COLUMN",
            split = ",",
            description = "Columns that need not be the same, such as times of writing.")
    private List<String> ignored = List.of();

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
            int chosen = ProjectionBuild.choose(rebuilds, projection.name(), version, VersionRole.SHADOW);
            if (parity && !isEqual(rebuilds.parity(projection.name(), chosen, Set.copyOf(ignored), limit))) {
                return ExitCode.SOFTWARE;
            }
            CutOver done = rebuilds.cutOver(projection.name(), chosen, limit, losses.accepted(), act);
            say(ParityLines.done("cutover", done));
            return ExitCode.OK;
        } catch (IllegalStateException e) { // it cannot be done as things are
            say("left %s: %s".formatted(projection, PlainText.of(String.valueOf(e.getMessage()))));
            return ExitCode.SOFTWARE;
        }
    }

    private boolean isEqual(Parity compared) {
        ParityLines.table(compared).forEach(this::say);
        if (!compared.isEqual()) {
            say("left %s: %s; nothing was changed".formatted(projection, ParityLines.verdict(compared)));
        }
        return compared.isEqual();
    }

    private void say(String line) {
        spec.commandLine().getErr().println(line);
    }
}
