package dev.spream.emulator.internal.stream;

import java.time.Instant;
import java.util.List;

/** A record of a partition, other than a heartbeat. */
sealed interface StreamRecord permits DataRecord, StreamRecord.Start, StreamRecord.Event, StreamRecord.End {
    int SEQUENCE_LENGTH = 8;

    Instant timestamp();

    /** Returns its number among the records of its timestamp, as {@link Journal} assigns them. */
    int sequence();

    default String sequenceText() {
        String digits = Integer.toString(sequence());
        return "0".repeat(Math.max(0, SEQUENCE_LENGTH - digits.length())) + digits;
    }

    /**
     * A record that names partitions to query next: a child partitions record with immutable key ranges, a partition
     * start record with mutable ones, which has no parents.
     *
     * @param timestamp the first instant of these partitions
     */
    record Start(Instant timestamp, int sequence, List<Child> children) implements StreamRecord {
        public Start {
            children = List.copyOf(children);
        }
    }

    /** A partition that a start record names. */
    record Child(String token, List<String> parents) {
        public Child {
            parents = List.copyOf(parents);
        }
    }

    /**
     * A partition event record.
     *
     * @param token the partition that contains the record
     * @param sources the partitions from which key ranges move in
     * @param destinations the partitions to which key ranges move out
     */
    record Event(Instant timestamp, int sequence, String token, List<String> sources, List<String> destinations)
            implements StreamRecord {
        public Event {
            sources = List.copyOf(sources);
            destinations = List.copyOf(destinations);
        }
    }

    /** A partition end record, the last of its partition. */
    record End(Instant timestamp, int sequence, String token) implements StreamRecord {}
}
