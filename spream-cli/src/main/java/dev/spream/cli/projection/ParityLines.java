package dev.spream.cli.projection;

import dev.spream.cli.output.Columns;
import dev.spream.cli.output.Figures;
import dev.spream.cli.output.PlainText;
import dev.spream.projection.CutOver;
import dev.spream.projection.Parity;
import java.util.ArrayList;
import java.util.List;

/** The results of comparisons and cut-overs, for people. */
final class ParityLines {
    private ParityLines() {}

    /** A line for each table, and one above with what the columns are. */
    static List<String> table(Parity parity) {
        return Columns.table(
                List.of("TABLE", "ROWS OF " + parity.live(), "ROWS OF " + parity.other(), "DIFFERENT", "ONLY IN ONE"),
                parity.tables(),
                table -> List.of(
                        PlainText.of(table.name()),
                        Figures.count(table.liveRows()),
                        Figures.count(table.otherRows()),
                        Figures.count(table.different()),
                        oneSided(table)));
    }

    static String verdict(Parity parity) {
        if (parity.tables().isEmpty()) {
            return "nothing was compared, since its read model has no tables here: look at it by other means";
        }
        return parity.isEqual()
                ? "versions %d and %d have the same rows".formatted(parity.live(), parity.other())
                : "versions %d and %d differ".formatted(parity.live(), parity.other());
    }

    private static String oneSided(Parity.Table table) {
        return table.oneSided().isEmpty() ? "-" : PlainText.of(String.join(", ", table.oneSided()));
    }

    static String done(String action, CutOver done) {
        String line = "%s %s: version %d is live, version %d follows; no event was applied for %,d ms"
                .formatted(
                        action,
                        PlainText.of(done.projection()),
                        done.to(),
                        done.from(),
                        done.pause().toMillis());
        CutOver.Losses losses = done.losses();
        List<String> said = new ArrayList<>(List.of(line));
        if (losses.withoutEffects() > 0) {
            said.add("%,d aggregates are without side effects of events".formatted(losses.withoutEffects()));
        }
        if (losses.parked() > 0) {
            said.add("%,d aggregates are parked and behind what readers saw".formatted(losses.parked()));
        }
        if (losses.skipped() > 0) {
            said.add("%,d events are skipped that were not".formatted(losses.skipped()));
        }
        if (losses.leftOut() > 0) {
            said.add("its events begin %,d positions later".formatted(losses.leftOut()));
        }
        return String.join("; ", said);
    }
}
