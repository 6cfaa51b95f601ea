package dev.spream.cli;

import dev.spream.projection.CutOver;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.Option;

/** What whoever exchanges versions of a projection accepts to lose. */
final class LossArguments {
    @Option(
            names = "--drop-effects",
            description = "Go on if events of parked aggregates would be without side effects.")
    private boolean dropEffects;

    @Option(
            names = "--accept-parked",
            description = "Go on if readers would miss aggregates that are parked, or events that were skipped, in the"
                    + " other version alone.")
    private boolean acceptParked;

    @Option(
            names = "--accept-partial",
            description =
                    "Go on if the other version begins later (--from-position) and readers would miss what came of"
                            + " earlier events.")
    private boolean acceptPartial;

    Set<CutOver.Loss> accepted() {
        Set<CutOver.Loss> accepted = EnumSet.noneOf(CutOver.Loss.class);
        if (dropEffects) {
            accepted.add(CutOver.Loss.EFFECTS);
        }
        if (acceptParked) {
            accepted.add(CutOver.Loss.PARKED);
        }
        if (acceptPartial) {
            accepted.add(CutOver.Loss.EARLIER);
        }
        return accepted;
    }
}
