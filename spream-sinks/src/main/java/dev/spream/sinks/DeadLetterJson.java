package dev.spream.sinks;

import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.RecordIdentity;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads and writes the lines of a dead letter file as JSON. Unknown members are ignored. */
final class DeadLetterJson {
    private DeadLetterJson() {}

    static String write(DeadLetterLine line) {
        return switch (line) {
            case DeadLetterLine.Kept(StoredDeadLetter letter) -> letter.toJson();
            case DeadLetterLine.Replayed(RecordIdentity identity, Instant at) -> json(line("replayed", identity, at));
            case DeadLetterLine.Discarded(RecordIdentity identity, Instant at) -> json(line("discarded", identity, at));
            case DeadLetterLine.Overtaken(Set<RecordKey> keys, RecordIdentity by, Instant at) -> {
                Map<String, @Nullable Object> members = line("overtaken", by, at);
                members.put("keys", keys(keys));
                yield json(members);
            }
            case DeadLetterLine.Released(Set<RecordKey> keys, Instant at) -> {
                Map<String, @Nullable Object> members = line("released", at);
                members.put("keys", keys(keys));
                yield json(members);
            }
        };
    }

    private static Map<String, @Nullable Object> line(String type, RecordIdentity identity, Instant at) {
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
        return keys.stream().map(DeadLetterJson::key).toList();
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

    /** @throws IllegalArgumentException if the text was not written by {@link #write} */
    static DeadLetterLine read(String text) {
        JsonObject json = JsonObject.of(text);
        Instant at = instant(json, "at");
        return switch (required(json, "type")) {
            case "letter" -> new DeadLetterLine.Kept(StoredDeadLetter.fromJson(json));
            case "replayed" -> new DeadLetterLine.Replayed(identity(json), at);
            case "discarded" -> new DeadLetterLine.Discarded(identity(json), at);
            case "overtaken" -> new DeadLetterLine.Overtaken(keys(json), identity(json), at);
            case "released" -> new DeadLetterLine.Released(keys(json), at);
            case String other -> throw new IllegalArgumentException("a line of unknown type " + other);
        };
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
