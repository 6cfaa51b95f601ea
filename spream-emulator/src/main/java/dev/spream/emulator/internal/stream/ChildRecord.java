package dev.spream.emulator.internal.stream;

import java.time.Instant;
import java.util.List;

/**
 * A child partitions record.
 *
 * @param start the children's first instant
 * @param sequence its number among the records of one end
 */
record ChildRecord(Instant start, int sequence, List<Child> children) {
    ChildRecord {
        children = List.copyOf(children);
    }

    /** A child partition, which the reader should query next. */
    record Child(String token, List<String> parents) {
        Child {
            parents = List.copyOf(parents);
        }
    }

    String sequenceText() {
        return DataRecord.sequenceText(sequence);
    }
}
