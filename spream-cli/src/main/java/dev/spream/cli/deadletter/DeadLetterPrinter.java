package dev.spream.cli.deadletter;

import dev.spream.cli.output.Figures;
import dev.spream.cli.panel.DeadLetterMembers;
import dev.spream.core.consume.DeadLetter.Reason;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.StoredDeadLetter;
import java.util.List;

/** Formats dead letters without the content of rows and without error messages. */
final class DeadLetterPrinter {
    private static final int WIDTH = 80;

    private DeadLetterPrinter() {}

    /**
     * Returns the lines for display; the first line names the letter in full, so that it can be copied, and the others
     * fit a terminal.
     */
    static List<String> text(DeadLetterStore.Entry entry, StoredDeadLetter letter) {
        return List.of(
                entry.identity().toString(),
                cut(letter.undecodableRow()
                        .map(row -> "  not decoded: a row of %s, %d characters".formatted(table(letter), row.length()))
                        .orElseGet(() -> "  %s%s: %s"
                                .formatted(
                                        reason(entry.reason()),
                                        entry.overtaken() ? ", overtaken" : "",
                                        KeyText.of(entry.keys())))),
                cut("  "
                        + letter.failure()
                                .map(DeadLetterPrinter::failure)
                                .orElse("not tried; dead-lettered " + Figures.seconds(letter.at()))));
    }

    private static String table(StoredDeadLetter letter) {
        String table = letter.change().tableName();
        return table.isEmpty() ? "an unknown table" : table;
    }

    private static String failure(StoredDeadLetter.Failure failure) {
        String errorClass = failure.errorClass();
        String error = errorClass.substring(errorClass.lastIndexOf('.') + 1);
        return failure.attempts() == 1
                ? "1 attempt at %s, %s".formatted(Figures.seconds(failure.failedAt()), error)
                : "%d attempts, %s to %s, %s"
                        .formatted(
                                failure.attempts(),
                                Figures.seconds(failure.firstFailureAt()),
                                Figures.seconds(failure.failedAt()),
                                error);
    }

    private static String reason(Reason reason) {
        return switch (reason) {
            case FAILED -> "failed";
            case PARKED -> "parked";
            case BEHIND_PARKED -> "behind a parked one";
        };
    }

    private static String cut(String line) {
        return line.length() <= WIDTH ? line : line.substring(0, WIDTH - 1) + "…";
    }

    /** Returns one JSON object. Times are RFC 3339; missing values are absent. */
    static String json(DeadLetterStore.Entry entry, StoredDeadLetter letter) {
        return DeadLetterMembers.withKeys(entry, letter).toString();
    }
}
