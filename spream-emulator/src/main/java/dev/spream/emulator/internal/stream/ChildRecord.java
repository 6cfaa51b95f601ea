package dev.spream.emulator.internal.stream;

import java.time.Instant;
import java.util.List;

/**
 * A child-partitions record.
 *
 * @param start the children's first instant
 * @param sequence its place among the records of one end
 */
record ChildRecord(Instant start, int sequence, List<Child> children) {
    ChildRecord {
        children = List.copyOf(children);
    }

    /** A partition that a query should be opened for. */
    record Child(String token, List<String> parents) {
        Child {
            parents = List.copyOf(parents);
        }
    }

    String sequenceText() {
        return DataRecord.sequenceText(sequence);
    }
}
