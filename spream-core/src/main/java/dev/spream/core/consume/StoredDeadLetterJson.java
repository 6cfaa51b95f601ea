package dev.spream.core.consume;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.JsonObject;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Letters as JSON. Members that are not known are ignored. */
final class StoredDeadLetterJson {
    private StoredDeadLetterJson() {}

    /** Returns the letter as JSON; the change keeps its received text. */
    static String write(StoredDeadLetter letter) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("type", "letter");
        members.put("at", letter.at().toString());
        members.put("reason", letter.reason().name());
        members.put("partition", letter.partition().value());
        letter.failure().ifPresent(failure -> {
            members.put("attempts", failure.attempts());
            members.put("first_failure_at", failure.firstFailureAt().toString());
            members.put("failed_at", failure.failedAt().toString());
            members.put("error_class", failure.errorClass());
            members.put("error_message", failure.errorMessage());
            failure.undecodableRow().ifPresent(row -> members.put("undecodable_row", row));
        });
        String head = JsonObject.of(members).toString();
        return head.substring(0, head.length() - 1) + ",\"data_change_record\":"
                + letter.change().toJson() + "}";
    }

    static StoredDeadLetter read(JsonObject json) {
        if (!required(json, "type").equals("letter")) {
            throw new IllegalArgumentException("no letter");
        }
        DeadLetter.Reason reason = DeadLetter.Reason.valueOf(required(json, "reason"));
        return new StoredDeadLetter(
                reason,
                new PartitionToken(required(json, "partition")),
                json.object("data_change_record")
                        .map(change -> ChangeRecordJson.readDataChange(change.toString()))
                        .orElseThrow(() -> missing("data_change_record")),
                instant(json, "at"),
                reason == DeadLetter.Reason.BEHIND_PARKED ? Optional.empty() : Optional.of(failure(json)));
    }

    private static StoredDeadLetter.Failure failure(JsonObject json) {
        return new StoredDeadLetter.Failure(
                Math.clamp(json.int64("attempts").orElseThrow(() -> missing("attempts")), 0, Integer.MAX_VALUE),
                instant(json, "first_failure_at"),
                instant(json, "failed_at"),
                required(json, "error_class"),
                required(json, "error_message"),
                json.string("undecodable_row"));
    }

    private static Instant instant(JsonObject json, String name) {
        try {
            return Instant.parse(required(json, name));
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("a malformed " + name, e);
        }
    }

    private static String required(JsonObject json, String name) {
        return json.string(name).orElseThrow(() -> missing(name));
    }

    private static IllegalArgumentException missing(String name) {
        return new IllegalArgumentException("no member " + name);
    }
}
