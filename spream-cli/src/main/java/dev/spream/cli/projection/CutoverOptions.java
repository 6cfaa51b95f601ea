package dev.spream.cli.projection;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.cli.command.UsageFailure;
import dev.spream.projection.CutoverReport;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionRebuilds;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a cutover or rollback of a projection. */
final class CutoverOptions {
    @Mixin
    private final TimeoutArgument timeout = new TimeoutArgument();

    @Option(
            names = "--drop-effects",
            description = "Continue if events of parked aggregates would have no side effects.")
    private boolean dropEffects;

    @Option(
            names = "--accept-parked",
            description = "Continue if readers would miss aggregates that are parked, or events that were skipped,"
                    + " only in the candidate version.")
    private boolean acceptParked;

    @Option(
            names = "--accept-partial",
            description = "Continue if the candidate version begins later (--from-position) and readers would miss the"
                    + " effects of earlier events.")
    private boolean acceptPartial;

    @Option(names = "--yes", description = "Confirm the operation.")
    private boolean yes;

    @Mixin
    private final ProjectionOperatorOptions by = new ProjectionOperatorOptions();

    record Exchange(Duration timeout, Act act, Set<CutoverReport.Loss> accepted) {
        CutoverReport run(ProjectionRebuilds rebuilds, String projection, int version) {
            return rebuilds.cutOver(projection, version, timeout, accepted, act);
        }
    }

    /**
     * Validates the options.
     *
     * @throws UsageFailure if the confirmation or the reason is missing, or the timeout is 0
     */
    Exchange exchange() {
        require(yes, "readers will see another version: add --yes");
        return new Exchange(timeout.limit(), by.act(), accepted());
    }

    private Set<CutoverReport.Loss> accepted() {
        Set<CutoverReport.Loss> accepted = EnumSet.noneOf(CutoverReport.Loss.class);
        if (dropEffects) {
            accepted.add(CutoverReport.Loss.EFFECTS);
        }
        if (acceptParked) {
            accepted.add(CutoverReport.Loss.PARKED);
        }
        if (acceptPartial) {
            accepted.add(CutoverReport.Loss.EARLIER);
        }
        return accepted;
    }
}
