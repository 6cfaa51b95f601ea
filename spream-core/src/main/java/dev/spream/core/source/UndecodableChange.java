package dev.spream.core.source;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Optional;

/**
 * A row of a query that holds a data change and nothing else, and cannot be decoded. Values that can be read are
 * present, the others absent. A row that may name child partitions is never represented this way: skipping it could
 * lose all its descendants.
 *
 * @param commitTimestamp when the change was committed, if that can be read
 * @param serverTransactionId names the transaction, if that can be read
 * @param recordSequence orders the records of the transaction, if that can be read
 * @param tableName the table, if that can be read
 * @param row the row as JSON, in the shape of a change record
 */
public record UndecodableChange(
        Optional<Instant> commitTimestamp,
        Optional<String> serverTransactionId,
        Optional<String> recordSequence,
        Optional<String> tableName,
        String row) {
    public UndecodableChange {
        requireNonNull(commitTimestamp, "commitTimestamp");
        requireNonNull(serverTransactionId, "serverTransactionId");
        requireNonNull(recordSequence, "recordSequence");
        requireNonNull(tableName, "tableName");
        requireNonNull(row, "row");
    }
}
