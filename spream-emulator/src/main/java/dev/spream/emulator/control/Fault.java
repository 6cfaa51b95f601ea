package dev.spream.emulator.control;

import static java.util.Objects.requireNonNull;

import java.util.Locale;
import java.util.Optional;

/**
 * Something that goes wrong with one query of a change stream.
 *
 * <p>It strikes when the query has returned that many rows of any kind, heartbeats included, or in place of the partition's
 * first child record or of the query's end, where these come sooner. {@link Kind#BETWEEN_CHILD_RECORDS} and {@link
 * Kind#DUPLICATES} say where they strike instead.
 *
 * @param kind what goes wrong
 * @param afterRows how many rows come before
 * @param partition the token of the partition whose queries it can strike; empty for any query, the initial one too
 */
public record Fault(Kind kind, int afterRows, Optional<String> partition) {

    /** The kinds of faults. Their texts are those of production, since readers tell errors apart by them. */
    public enum Kind {
        /** The stream breaks with UNAVAILABLE. */
        UNAVAILABLE(true),
        /** It breaks with UNAVAILABLE, with the text of a server that closes the connection. */
        GO_AWAY(true),
        /** It breaks with the INTERNAL of a connection that was cut, which may be tried again. */
        UNEXPECTED_EOS(true),
        /** It breaks with the INTERNAL of a reset stream, which may be tried again. */
        RST_STREAM(true),
        /** It breaks with RESOURCE_EXHAUSTED. */
        RESOURCE_EXHAUSTED(true),
        /** It breaks with DEADLINE_EXCEEDED, as each does when the client's limit of an hour is over. */
        DEADLINE_EXCEEDED(true),
        /**
         * It breaks with UNAVAILABLE behind the first child record that comes after so many rows: before the next one,
         * or, where there is none, before the end. A query without child records passes it on to the next query.
         */
        BETWEEN_CHILD_RECORDS(true),
        /**
         * It ends with OK, before it has returned any child record. A query that a client resumes behind one passes it on to
         * the next query. Two in a row on a query that was given an end look like its real end, which readers may believe.
         */
        CLEAN_END(true),
        /** It returns nothing any more, no heartbeat either, and stays open until its client ends it. */
        STALL(true),
        /**
         * The change records that the query has returned so far come again, in their order, and then what follows. A query
         * that has returned none passes it on to the next query.
         */
        DUPLICATES(true),
        /** OUT_OF_RANGE: the start is before the retention period. */
        RETENTION_LOST(false),
        /** OUT_OF_RANGE: all of the partition is before the retention period. */
        PARTITION_EXPIRED(false),
        /** OUT_OF_RANGE: the start is outside of the partition's life. Says when that is. */
        OUTSIDE_PARTITION(false);

        private final boolean harmless;

        Kind(boolean harmless) {
            this.harmless = harmless;
        }

        /** Returns whether a reader that queries again gets everything. */
        public boolean isHarmless() {
            return harmless;
        }

        /** In small letters, with hyphens. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    public Fault {
        requireNonNull(kind, "kind");
        requireNonNull(partition, "partition");
        if (afterRows < 0) {
            throw new IllegalArgumentException("a fault strikes after 0 rows or more, got " + afterRows);
        }
    }

    /** One that strikes any query, before its first row. */
    public static Fault of(Kind kind) {
        return new Fault(kind, 0, Optional.empty());
    }

    /** The same, after so many rows. */
    public Fault afterRows(int rows) {
        return new Fault(kind, rows, partition);
    }

    /** The same, for queries of that partition only. */
    public Fault inPartition(String token) {
        return new Fault(kind, afterRows, Optional.of(token));
    }
}
