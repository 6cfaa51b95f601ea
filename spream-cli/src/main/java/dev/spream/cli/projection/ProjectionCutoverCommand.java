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
                "Makes the candidate version of a projection live in one transaction: readers see either the old or"
                        + " the new read model, complete.",
        footer = {
            "",
            "The live version is held up until the candidate has caught up. The old version is kept up to date, so"
                    + " that spream projection rollback can make it live again, until spream projection drop.",
            "",
            "Try: spream projection cutover entries --compare --yes --reason 'counts items'"
        })
final class ProjectionCutoverCommand extends VersionCommand {
    @Option(
            names = "--version",
            paramLabel = "N",
            description = "Version to make live. Default: the one that is being built.")
    private @Nullable Integer version;

    @Mixin
    private final CutoverOptions exchange = new CutoverOptions();

    @Option(names = "--compare", description = "Compare both versions first, and stop if they differ.")
    private boolean comparison;

    @Option(
            names = "--ignore",
            paramLabel = "COLUMN",
            split = ",",
            description = "Columns that the comparison ignores, such as times of writing.")
    private List<String> ignored = List.of();

    @Override
    public Integer call() {
        Exchange meant = exchange.exchange();
        return run((projections, name) -> {
            ProjectionRebuilds rebuilds = projections.rebuilds();
            int chosen = ProjectionBuild.choose(rebuilds, name, version(version), VersionRole.CANDIDATE);
            if (comparison && !isEqual(rebuilds.compare(name, chosen, Set.copyOf(ignored), meant.timeout()))) {
                return ExitCode.SOFTWARE;
            }
            report(ComparisonPrinter.done("cutover", meant.run(rebuilds, name, chosen)));
            return ExitCode.OK;
        });
    }

    private boolean isEqual(VersionComparison compared) {
        ComparisonPrinter.table(compared).forEach(this::report);
        if (!compared.isEqual()) {
            report("%s: %s; nothing was changed", shown(), ComparisonPrinter.verdict(compared));
        }
        return compared.isEqual();
    }
}
