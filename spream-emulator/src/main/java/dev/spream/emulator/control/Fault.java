package dev.spream.emulator.control;

import static java.util.Objects.requireNonNull;

import java.util.Locale;
import java.util.Optional;

/**
 * A fault of one query of a change stream.
 *
 * <p>It takes effect once the query has returned the given number of rows of any kind, heartbeats included, or in place
 * of the partition's first child record or of the query's end, whichever comes first. With mutable key ranges, it is the
 * partition's end record in place of the first child record. {@link Kind#BETWEEN_CHILD_RECORDS}, {@link
 * Kind#DUPLICATES} and {@link Kind#OLD_EVENT} describe where they take effect instead.
 *
 * @param kind the kind of fault
 * @param afterRows the number of rows that come before
 * @param partition the token of the partition whose queries it can affect; empty for any query, including the initial
 * one
 */
public record Fault(Kind kind, int afterRows, Optional<String> partition) {

    /** The kinds of faults. Their texts are those of production, since readers distinguish errors by them. */
    public enum Kind {
        /** The stream breaks with UNAVAILABLE. */
        UNAVAILABLE(true),
        /** The stream breaks with UNAVAILABLE, with the text of a server that closes the connection. */
        GO_AWAY(true),
        /** The stream breaks with the INTERNAL status of a connection that was cut, which is retryable. */
        UNEXPECTED_EOS(true),
        /** The stream breaks with the INTERNAL status of a reset stream, which is retryable. */
        RST_STREAM(true),
        /** The stream breaks with RESOURCE_EXHAUSTED. */
        RESOURCE_EXHAUSTED(true),
        /** The stream breaks with DEADLINE_EXCEEDED, as every stream does at the client's limit of one hour. */
        DEADLINE_EXCEEDED(true),
        /**
         * The stream breaks with UNAVAILABLE after the first child record that follows the given number of rows: before
         * the next child record or, without one, before the end. In a query without child records, the fault is passed
         * on to the next query. With mutable key ranges, start, event and end records are child records in this sense.
         */
        BETWEEN_CHILD_RECORDS(true),
        /**
         * The stream ends with OK before it has returned any child record or, with mutable key ranges, the end record.
         * In a query that a client resumes after such a record, the fault is passed on to the next query. Two in a row on
         * a query with an end timestamp look like its real end, which readers may accept.
         */
        CLEAN_END(true),
        /** The stream returns nothing more, not even heartbeats, and stays open until its client ends it. */
        STALL(true),
        /**
         * The records that the query has returned so far are returned again, in the same order, followed by the rest. In
         * a query that has returned no change record, the fault is passed on to the next query.
         */
        DUPLICATES(true),
        /**
         * The last event record with move-ins that the query has returned is returned again, after later records. In a
         * query that has returned none, as always with immutable key ranges, the fault is passed on to the next query.
         */
        OLD_EVENT(true),
        /** OUT_OF_RANGE: the start is before the retention period. */
        RETENTION_LOST(false),
        /** OUT_OF_RANGE: the whole partition is before the retention period. */
        PARTITION_EXPIRED(false),
        /** OUT_OF_RANGE: the start is outside the partition's lifetime, which the text contains. */
        OUTSIDE_PARTITION(false);

        private final boolean harmless;

        Kind(boolean harmless) {
            this.harmless = harmless;
        }

        /** Returns whether a reader that queries again receives everything. */
        public boolean isHarmless() {
            return harmless;
        }

        /** Returns the name in lower case, with hyphens. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public Fault {
        requireNonNull(kind, "kind");
        requireNonNull(partition, "partition");
        if (afterRows < 0) {
            throw new IllegalArgumentException("afterRows must not be negative, got " + afterRows);
        }
    }

    /** Returns a fault that affects any query, before its first row. */
    public static Fault of(Kind kind) {
        return new Fault(kind, 0, Optional.empty());
    }

    /** Returns this fault with another number of rows before it. */
    public Fault afterRows(int rows) {
        return new Fault(kind, rows, partition);
    }

    /** Returns this fault limited to queries of the given partition. */
    public Fault inPartition(String token) {
        return new Fault(kind, afterRows, Optional.of(token));
    }
}
