package dev.spream.cli.projection;

import dev.spream.api.ConfiguredProjections;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.command.UsageFailure;
import dev.spream.cli.output.PlainText;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Changes the number of segments of a projection. */
@Command(
        name = "segments",
        description = "Changes the number of segments of a projection, in all of its versions, while it runs: processes"
                + " claim the new segments within about a second.",
        footer = {
            "",
            "It waits for batches in flight. The new segments begin at the lowest position of the old ones; events"
                    + " that are read again have no further effect. Set projections.segments to the same number.",
            "",
            "Try: spream projection segments entries 8 --reason 'more processes'"
        })
final class ProjectionSegmentsCommand extends Subcommand {
    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Parameters(
            index = "1",
            paramLabel = "COUNT",
            arity = "1",
            description = "Number of segments: a power of 2 up to 256.")
    private int count;

    @Mixin
    private final ProjectionOperatorOptions by = new ProjectionOperatorOptions();

    @Override
    public Integer call() {
        try {
            ProjectionOperations.requireSplit(count);
        } catch (IllegalArgumentException e) {
            throw new UsageFailure(String.valueOf(e.getMessage()));
        }
        Act act = by.act();
        try (ConfiguredProjections configured = projection.open()) {
            ProjectionOperations projections = configured.operations();
            String name = projection.findBase(projections);
            if (projections.split(name, count, act)) {
                report(
                        "segments %s: it is split into %d; set projections.segments = %d where it runs",
                        PlainText.of(name), count, count);
                return ExitCode.OK;
            }
            report("%s already has %d segments; nothing was changed", PlainText.of(name), count);
            return ExitCode.SOFTWARE;
        } catch (IllegalStateException e) { // without positions, or during a cutover
            report("%s: %s", projection, PlainText.of(String.valueOf(e.getMessage())));
            return ExitCode.SOFTWARE;
        }
    }
}
