package dev.spream.sink.files;

import static java.util.Objects.requireNonNull;

import dev.spream.core.record.JsonObject;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * A place in the changes of a partition, in the order in which it is read: all changes before a commit timestamp, and of
 * those at it, of each transaction the ones up to a record sequence. Transactions may share a commit timestamp, and come
 * in any order then.
 *
 * @param at the commit timestamp of the last change
 * @param last the last record sequence of each transaction with that commit timestamp
 */
record Position(Instant at, Map<String, String> last) {
    Position {
        requireNonNull(at, "at");
        last = Map.copyOf(last);
    }

    Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("at", at.toString());
        members.put("last", new TreeMap<>(last));
        return members;
    }

    static Position read(JsonObject position) {
        Map<String, String> last = new TreeMap<>();
        position.object("last")
                .orElseThrow()
                .members()
                .forEach((transaction, sequence) -> last.put(transaction, String.valueOf(sequence)));
        return new Position(Instant.parse(position.string("at").orElseThrow()), last);
    }
}
