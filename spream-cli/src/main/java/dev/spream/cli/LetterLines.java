package dev.spream.cli;

import dev.spream.core.consume.DeadLetter.Reason;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.StoredLetter;
import dev.spream.core.record.JsonObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A dead letter without what rows held and what errors say of them. */
final class LetterLines {
    private static final int WIDTH = 80;

    private LetterLines() {}

    /** For people: a line that can be copied names the letter, and the others fit a terminal. */
    static List<String> text(DeadLetterStore.Entry entry, StoredLetter letter) {
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
                                .map(LetterLines::failure)
                                .orElse("not tried; set aside " + seconds(letter.at()))));
    }

    private static String table(StoredLetter letter) {
        String table = letter.change().tableName();
        return table.isEmpty() ? "an unknown table" : table;
    }

    private static String failure(StoredLetter.Failure failure) {
        String errorClass = failure.errorClass();
        String error = errorClass.substring(errorClass.lastIndexOf('.') + 1);
        return failure.attempts() == 1
                ? "1 attempt at %s, %s".formatted(seconds(failure.failedAt()), error)
                : "%d attempts, %s to %s, %s"
                        .formatted(
                                failure.attempts(),
                                seconds(failure.firstFailureAt()),
                                seconds(failure.failedAt()),
                                error);
    }

    private static String reason(Reason reason) {
        return switch (reason) {
            case FAILED -> "failed";
            case PARKED -> "parked";
            case BEHIND_PARKED -> "behind a parked one";
        };
    }

    private static Instant seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS);
    }

    private static String cut(String line) {
        return line.length() <= WIDTH ? line : line.substring(0, WIDTH - 1) + "…";
    }

    /** For programs: one object. Times are RFC 3339; what there is not is absent. */
    static String json(DeadLetterStore.Entry entry, StoredLetter letter) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("identity", entry.identity().toString());
        members.put("commit_timestamp", entry.identity().commitTimestamp().toString());
        members.put("server_transaction_id", entry.identity().serverTransactionId());
        members.put("record_sequence", entry.identity().recordSequence());
        members.put("table_name", letter.change().tableName());
        members.put(
                "keys",
                RecordKey.of(letter.change()).stream()
                        .map(key -> key.primaryKey().members())
                        .toList());
        members.put("reason", entry.reason().name().toLowerCase(Locale.ROOT));
        members.put("overtaken", entry.overtaken());
        members.put("undecodable", letter.undecodableRow().isPresent());
        members.put("partition", letter.partition().value());
        members.put("set_aside_at", letter.at().toString());
        letter.failure().ifPresent(failure -> {
            members.put("attempts", failure.attempts());
            members.put("first_failure_at", failure.firstFailureAt().toString());
            members.put("failed_at", failure.failedAt().toString());
            members.put("error_class", failure.errorClass());
        });
        return JsonObject.of(members).toString();
    }
}
