package dev.spream.cli.projection;

import dev.spream.cli.output.Columns;
import dev.spream.cli.output.Figures;
import dev.spream.cli.output.PlainText;
import dev.spream.projection.CutoverReport;
import dev.spream.projection.VersionComparison;
import java.util.ArrayList;
import java.util.List;

/** Formats the results of comparisons and cutovers for display. */
final class ComparisonPrinter {
    private ComparisonPrinter() {}

    static List<String> table(VersionComparison comparison) {
        return Columns.table(
                List.of(
                        "TABLE",
                        "ROWS OF " + comparison.live(),
                        "ROWS OF " + comparison.other(),
                        "DIFFERENT",
                        "ONLY IN ONE"),
                comparison.tables(),
                table -> List.of(
                        PlainText.of(table.name()),
                        Figures.count(table.liveRows()),
                        Figures.count(table.otherRows()),
                        Figures.count(table.different()),
                        oneSided(table)));
    }

    static String verdict(VersionComparison comparison) {
        if (comparison.tables().isEmpty()) {
            return "nothing was compared, since the read model has no tables here: compare it by other means";
        }
        return comparison.isEqual()
                ? "versions %d and %d have the same rows".formatted(comparison.live(), comparison.other())
                : "versions %d and %d differ".formatted(comparison.live(), comparison.other());
    }

    private static String oneSided(VersionComparison.Table table) {
        return table.oneSided().isEmpty() ? "-" : PlainText.of(String.join(", ", table.oneSided()));
    }

    static String done(String action, CutoverReport done) {
        String line = "%s %s: version %d is live, version %d is kept up to date; no event was applied for %s ms"
                .formatted(
                        action,
                        PlainText.of(done.projection()),
                        done.to(),
                        done.from(),
                        Figures.count(done.pause().toMillis()));
        CutoverReport.Losses losses = done.losses();
        List<String> said = new ArrayList<>(List.of(line));
        if (losses.withoutEffects() > 0) {
            said.add("%s aggregates lack side effects of their events"
                    .formatted(Figures.count(losses.withoutEffects())));
        }
        if (losses.parked() > 0) {
            said.add("%s aggregates are parked, and older than in the previous live version"
                    .formatted(Figures.count(losses.parked())));
        }
        if (losses.skipped() > 0) {
            said.add("%s events are skipped that were applied in the previous live version"
                    .formatted(Figures.count(losses.skipped())));
        }
        if (losses.leftOut() > 0) {
            said.add("its events begin %s positions later".formatted(Figures.count(losses.leftOut())));
        }
        return String.join("; ", said);
    }
}
