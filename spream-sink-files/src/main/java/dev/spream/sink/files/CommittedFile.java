package dev.spream.sink.files;

import static java.util.Objects.requireNonNull;

import dev.spream.core.record.JsonObject;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A file that counts.
 *
 * @param name its name in the store
 * @param changes the number of changes in it, in the order in which they have to take effect
 * @param rows the number of changed rows in these changes
 * @param bytes its size
 * @param from the earliest commit timestamp in it
 * @param to the latest commit timestamp in it
 */
public record CommittedFile(String name, long changes, long rows, long bytes, Instant from, Instant to) {
    public CommittedFile {
        requireNonNull(name, "name");
        requireNonNull(from, "from");
        requireNonNull(to, "to");
    }

    Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("name", name);
        members.put("changes", changes);
        members.put("rows", rows);
        members.put("bytes", bytes);
        members.put("from", from.toString());
        members.put("to", to.toString());
        return members;
    }

    static CommittedFile read(JsonObject file) {
        return new CommittedFile(
                file.string("name").orElseThrow(),
                file.int64("changes").orElseThrow(),
                file.int64("rows").orElseThrow(),
                file.int64("bytes").orElseThrow(),
                Instant.parse(file.string("from").orElseThrow()),
                Instant.parse(file.string("to").orElseThrow()));
    }
}
