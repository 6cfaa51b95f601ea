package dev.spream.cli.projection;

import dev.spream.cli.projection.CutoverOptions.Exchange;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.VersionComparison;
import dev.spream.projection.VersionRole;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes another version of a projection live. */
@Command(
        name = "cutover",
        description =
                "Makes another version of a projection live, in one transaction: readers see the old read model or the new one, complete.",
        footer = {
            "",
            "The live version stands still until the other has caught up. The old one is kept and follows, so that spream"
                    + " projection rollback makes it live again, until spream projection drop.",
            "",
            "Try: spream projection cutover entries --parity --yes --reason 'counts items'"
        })
final class ProjectionCutoverCommand extends VersionCommand {
    @Option(names = "--version", paramLabel = "N", description = "Which. Default: the one that is being built.")
    private @Nullable Integer version;

    @Mixin
    private final CutoverOptions exchange = new CutoverOptions();

    @Option(names = "--parity", description = "Compare both before, and leave it if they differ.")
    private boolean parity;

    @Option(
            names = "--ignore",
            paramLabel = "COLUMN",
            split = ",",
            description = "Columns that need not be the same, such as times of writing.")
    private List<String> ignored = List.of();

    @Override
    public Integer call() {
        Exchange meant = exchange.exchange();
        return run((projections, name) -> {
            ProjectionRebuilds rebuilds = projections.rebuilds();
            int chosen = ProjectionBuild.choose(rebuilds, name, version(version), VersionRole.SHADOW);
            if (parity && !isEqual(rebuilds.parity(name, chosen, Set.copyOf(ignored), meant.patience()))) {
                return ExitCode.SOFTWARE;
            }
            say(ComparisonPrinter.done("cutover", meant.run(rebuilds, name, chosen)));
            return ExitCode.OK;
        });
    }

    private boolean isEqual(VersionComparison compared) {
        ComparisonPrinter.table(compared).forEach(this::say);
        if (!compared.isEqual()) {
            say("left %s: %s; nothing was changed", shown(), ComparisonPrinter.verdict(compared));
        }
        return compared.isEqual();
    }
}
