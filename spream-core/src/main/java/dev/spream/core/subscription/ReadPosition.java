package dev.spream.core.subscription;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/**
 * How far the reader of one partition has read in this process, so that it can query again from there, inclusive, and
 * recognise what it has already dispatched. Confined to the reader's thread.
 *
 * <p>Spanner returns the records of a partition in commit order, so a record before the position has been passed, and one
 * at the position has been passed if its transaction and sequence have been seen.
 */
final class ReadPosition {
    private final Set<RecordIdentity> seenAtTimestamp = new HashSet<>();
    private Instant timestamp;
    private Instant returnedByQuery = Instant.MIN;

    ReadPosition(Instant start) {
        this.timestamp = start;
    }

    Instant timestamp() {
        return timestamp;
    }

    /** A query from this position is issued. */
    void startQuery() {
        returnedByQuery = Instant.MIN;
    }

    /** Whether the current query has returned a later change before, which Spanner says it does not. */
    boolean isOutOfOrder(DataChangeRecord change) {
        return change.commitTimestamp().isBefore(returnedByQuery);
    }

    /** Whether the record was read before; if not, it counts as read now. */
    boolean isRepeated(DataChangeRecord change) {
        if (change.commitTimestamp().isAfter(returnedByQuery)) {
            returnedByQuery = change.commitTimestamp();
        }
        if (change.commitTimestamp().isBefore(timestamp)) {
            return true;
        }
        advance(change.commitTimestamp());
        return !seenAtTimestamp.add(change.identity());
    }

    /** The partition was read up to there. */
    void advance(Instant to) {
        if (to.isAfter(timestamp)) {
            timestamp = to;
            seenAtTimestamp.clear();
        }
    }
}
