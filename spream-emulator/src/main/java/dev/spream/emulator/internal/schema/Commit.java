package dev.spream.emulator.internal.schema;

import java.time.Instant;
import java.util.List;

/**
 * A committed transaction.
 *
 * @param timestamp its commit timestamp, in microseconds
 * @param transactionTag the tag that its client set, or empty
 * @param excludedFromChangeStreams whether its client requested exclusion from the streams that allow it
 * @param system whether Spanner itself deleted rows, by row deletion policies
 * @param changes the changed rows, in the order of the first write of each
 */
public record Commit(
        Instant timestamp,
        String transactionTag,
        boolean excludedFromChangeStreams,
        boolean system,
        List<RowChange> changes) {
    public Commit {
        changes = List.copyOf(changes);
    }
}
