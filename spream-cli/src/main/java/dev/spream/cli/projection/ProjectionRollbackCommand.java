package dev.spream.cli.projection;

import dev.spream.cli.command.CommandFailure;
import dev.spream.cli.projection.CutoverOptions.Exchange;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.VersionRole;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes the previous live version of a projection live again. */
@Command(
        name = "rollback",
        description =
                "Makes the previous version of a projection live again; it was kept up to date since the cutover.",
        footer = {"", "Try: spream projection rollback entries --yes --reason 'counts are wrong'"})
final class ProjectionRollbackCommand extends VersionCommand {
    @Option(
            names = "--version",
            paramLabel = "N",
            description = "Version to make live. Default: the one that was live before; none if the last cutover was"
                    + " already rolled back.")
    private @Nullable Integer version;

    @Mixin
    private final CutoverOptions exchange = new CutoverOptions();

    @Override
    public Integer call() {
        Exchange meant = exchange.exchange();
        return run((projections, name) -> {
            ProjectionRebuilds rebuilds = projections.rebuilds();
            int chosen = choose(rebuilds, name);
            report(ComparisonPrinter.done("rollback", meant.run(rebuilds, name, chosen)));
            return ExitCode.OK;
        });
    }

    /** Returns the requested version, or the one that was live before. A repeated rollback does not undo the first. */
    private int choose(ProjectionRebuilds rebuilds, String name) {
        Integer asked = version(version);
        int chosen = ProjectionBuild.choose(rebuilds, name, asked, VersionRole.RETIRED);
        boolean laterThanLive = rebuilds.versions(name).stream()
                .filter(ProjectionVersion::isLive)
                .anyMatch(live -> chosen > live.version());
        if (asked == null && laterThanLive) {
            throw new CommandFailure(
                    "%s was already rolled back from version %d, the only other one that was live; nothing was changed: to make it live again, add --version %d"
                            .formatted(name, chosen, chosen));
        }
        return chosen;
    }
}
