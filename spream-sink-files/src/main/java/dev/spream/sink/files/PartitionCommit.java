package dev.spream.sink.files;

import static java.util.Objects.requireNonNull;

import dev.spream.core.record.JsonObject;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The changes of one partition in a commit.
 *
 * @param partition its token
 * @param epoch the highest epoch of the lease under which they were delivered
 * @param changes their number
 * @param from the commit timestamp of the first of them
 * @param through the position of the last of them: what is up to it has been counted
 */
record PartitionCommit(String partition, long epoch, long changes, Instant from, Position through) {
    PartitionCommit {
        requireNonNull(partition, "partition");
        requireNonNull(from, "from");
        requireNonNull(through, "through");
    }

    Map<String, Object> members() {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("token", partition);
        members.put("epoch", epoch);
        members.put("changes", changes);
        members.put("from", from.toString());
        members.put("through", through.members());
        return members;
    }

    static PartitionCommit read(JsonObject part) {
        return new PartitionCommit(
                part.string("token").orElseThrow(),
                part.int64("epoch").orElseThrow(),
                part.int64("changes").orElseThrow(),
                Instant.parse(part.string("from").orElseThrow()),
                Position.read(part.object("through").orElseThrow()));
    }
}
