package dev.spream.cli.projection;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.cli.command.UsageFailure;
import dev.spream.projection.ProjectionOperations.Act;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Removes a version of a projection. */
@Command(
        name = "drop",
        description = "Removes a version of a projection that is not live, with its tables and all of its state.",
        footer = {"", "Try: spream projection drop entries --version 1 --yes --reason 'version 2 is good'"})
final class ProjectionDropCommand extends VersionCommand {
    @Option(names = "--version", paramLabel = "N", description = "Version to remove, as show shows it.")
    private @Nullable Integer version;

    @Option(names = "--yes", description = "Confirm the operation.")
    private boolean yes;

    @Mixin
    private final ProjectionOperatorOptions by = new ProjectionOperatorOptions();

    @Override
    public Integer call() {
        require(yes, "a dropped version cannot be restored: add --yes");
        Integer dropped = version(version);
        if (dropped == null) {
            throw new UsageFailure("the version is missing: add --version N");
        }
        Act act = by.act();
        return run((projections, name) -> {
            projections.rebuilds().drop(name, dropped, act);
            report("drop %s: version %d removed", shown(), dropped);
            return ExitCode.OK;
        });
    }
}
