package dev.spream.cli.projection;

import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.VersionComparison;
import dev.spream.projection.VersionRole;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Compares two versions of a projection. */
@Command(
        name = "compare",
        description =
                "Compares another version of a projection with the live one, table by table. Both are held up until"
                        + " they are at the same positions; the comparison itself holds nothing up.",
        footer = {
            "",
            "A row that differs counts twice. A table (*) or an unignored column that exists in one version only"
                    + " counts as a difference.",
            "The exit code is 1 if anything differs, or nothing could be compared.",
            "",
            "Try: spream projection compare entries --ignore updated_at"
        })
final class ProjectionCompareCommand extends VersionCommand {
    @Option(
            names = "--version",
            paramLabel = "N",
            description = "Version to compare. Default: the only one besides the live one.")
    private @Nullable Integer version;

    @Mixin
    private final TimeoutArgument timeout = new TimeoutArgument();

    @Option(
            names = "--ignore",
            paramLabel = "COLUMN",
            split = ",",
            description = "Columns that the comparison ignores, such as times of writing.")
    private List<String> ignored = List.of();

    @Override
    public Integer call() {
        Duration limit = timeout.limit();
        return run((projections, name) -> {
            ProjectionRebuilds rebuilds = projections.rebuilds();
            int chosen = ProjectionBuild.choose(
                    rebuilds, name, version(version), VersionRole.CANDIDATE, VersionRole.RETIRED);
            VersionComparison compared = rebuilds.compare(name, chosen, Set.copyOf(ignored), limit);
            print(ComparisonPrinter.table(compared));
            report("compare %s: %s", shown(), ComparisonPrinter.verdict(compared));
            return compared.isEqual() ? ExitCode.OK : ExitCode.SOFTWARE;
        });
    }
}
