package dev.spream.core.consume;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.RecordIdentity;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The lines of a dead letter file as JSON. Members that are not known are ignored. */
final class LetterJson {
    private LetterJson() {}

    static String write(LetterLine line) {
        return switch (line) {
            case LetterLine.Kept kept -> kept(kept.letter());
            case LetterLine.Replayed(RecordIdentity identity, Instant at) -> json(settled("replayed", identity, at));
            case LetterLine.Discarded(RecordIdentity identity, Instant at) -> json(settled("discarded", identity, at));
            case LetterLine.Overtaken(Set<RecordKey> keys, RecordIdentity by, Instant at) -> {
                Map<String, @Nullable Object> members = settled("overtaken", by, at);
                members.put("keys", keys(keys));
                yield json(members);
            }
            case LetterLine.Released(Set<RecordKey> keys, Instant at) -> {
                Map<String, @Nullable Object> members = line("released", at);
                members.put("keys", keys(keys));
                yield json(members);
            }
        };
    }

    /** The change keeps the text that it came with. */
    private static String kept(StoredLetter letter) {
        Map<String, @Nullable Object> members = line("letter", letter.at());
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
        String head = json(members);
        return head.substring(0, head.length() - 1) + ",\"data_change_record\":"
                + letter.change().toJson() + "}";
    }

    private static Map<String, @Nullable Object> settled(String type, RecordIdentity identity, Instant at) {
        Map<String, @Nullable Object> members = line(type, at);
        members.put("commit_timestamp", identity.commitTimestamp().toString());
        members.put("server_transaction_id", identity.serverTransactionId());
        members.put("record_sequence", identity.recordSequence());
        return members;
    }

    private static Map<String, @Nullable Object> line(String type, Instant at) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("type", type);
        members.put("at", at.toString());
        return members;
    }

    private static List<Map<String, Object>> keys(Set<RecordKey> keys) {
        return keys.stream().map(LetterJson::key).toList();
    }

    private static Map<String, Object> key(RecordKey key) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("table_name", key.tableName());
        members.put("keys", key.primaryKey().members());
        return members;
    }

    private static String json(Map<String, @Nullable Object> members) {
        return JsonObject.of(members).toString();
    }

    /**
     * What {@link #write} wrote.
     *
     * @throws IllegalArgumentException if the text is something else
     */
    static LetterLine read(String text) {
        JsonObject json = JsonObject.of(text);
        Instant at = instant(json, "at");
        return switch (required(json, "type")) {
            case "letter" -> new LetterLine.Kept(letter(json, at));
            case "replayed" -> new LetterLine.Replayed(identity(json), at);
            case "discarded" -> new LetterLine.Discarded(identity(json), at);
            case "overtaken" -> new LetterLine.Overtaken(keys(json), identity(json), at);
            case "released" -> new LetterLine.Released(keys(json), at);
            case String other -> throw new IllegalArgumentException("a line of unknown type " + other);
        };
    }

    private static StoredLetter letter(JsonObject json, Instant at) {
        DeadLetter.Reason reason = DeadLetter.Reason.valueOf(required(json, "reason"));
        return new StoredLetter(
                reason,
                new PartitionToken(required(json, "partition")),
                json.object("data_change_record")
                        .map(change -> ChangeRecordJson.readDataChange(change.toString()))
                        .orElseThrow(() -> missing("data_change_record")),
                at,
                reason == DeadLetter.Reason.BEHIND_PARKED ? Optional.empty() : Optional.of(failure(json)));
    }

    private static StoredLetter.Failure failure(JsonObject json) {
        return new StoredLetter.Failure(
                Math.clamp(json.int64("attempts").orElseThrow(() -> missing("attempts")), 0, Integer.MAX_VALUE),
                instant(json, "first_failure_at"),
                instant(json, "failed_at"),
                required(json, "error_class"),
                required(json, "error_message"),
                json.string("undecodable_row"));
    }

    private static RecordIdentity identity(JsonObject json) {
        return new RecordIdentity(
                instant(json, "commit_timestamp"),
                required(json, "server_transaction_id"),
                required(json, "record_sequence"));
    }

    private static Set<RecordKey> keys(JsonObject json) {
        return json.objects("keys").stream()
                .map(key -> new RecordKey(
                        required(key, "table_name"), key.object("keys").orElseThrow(() -> missing("keys"))))
                .collect(Collectors.toUnmodifiableSet());
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
