package dev.spream.emulator.internal.schema;

import java.time.Instant;
import java.util.List;

/**
 * A committed transaction.
 *
 * @param timestamp its commit timestamp, in microseconds
 * @param transactionTag the tag its writer gave it, or empty
 * @param excludedFromChangeStreams whether its writer asked streams that allow it to leave it out
 * @param changes the rows it changed, in the order of the first write of each
 */
public record Commit(
        Instant timestamp, String transactionTag, boolean excludedFromChangeStreams, List<RowChange> changes) {
    public Commit {
        changes = List.copyOf(changes);
    }
}
