package dev.spream.cli;

import dev.spream.core.projection.CutOver;
import dev.spream.core.projection.Parity;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What comparing and exchanging versions came to, for people. */
final class ParityLines {
    private ParityLines() {}

    /** A line for each table, and one above with what the columns are. */
    static List<String> table(Parity parity) {
        if (parity.tables().isEmpty()) {
            return List.of();
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("TABLE", "ROWS OF " + parity.live(), "ROWS OF " + parity.other(), "DIFFERENT"));
        parity.tables()
                .forEach(table -> rows.add(List.of(
                        PlainText.of(table.name()),
                        count(table.liveRows()),
                        count(table.otherRows()),
                        count(table.different()))));
        return Columns.align(rows);
    }

    static String verdict(Parity parity) {
        if (parity.tables().isEmpty()) {
            return "its read model has no tables that could be compared";
        }
        return parity.isEqual()
                ? "versions %d and %d have the same rows".formatted(parity.live(), parity.other())
                : "versions %d and %d differ".formatted(parity.live(), parity.other());
    }

    static String done(String action, CutOver done) {
        String line = "%s %s: version %d is live, version %d follows; no event was applied for %,d ms"
                .formatted(
                        action,
                        PlainText.of(done.projection()),
                        done.to(),
                        done.from(),
                        done.pause().toMillis());
        return done.withoutEffects() == 0
                ? line
                : line + "; %d aggregates are without side effects of events".formatted(done.withoutEffects());
    }

    private static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
