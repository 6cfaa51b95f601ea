package dev.spream.sink.files;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import java.time.Instant;

/**
 * The place of one change in its partition.
 *
 * @param transaction what its record sequence counts in: the transaction, or all rows of a table in a snapshot, each of
 *     which has a transaction of its own
 */
record Place(Instant at, String transaction, String sequence) {

    static Place of(PartitionToken partition, DataChangeRecord change) {
        String transaction = partition.isOfSnapshot() ? "snapshot:" + change.tableName() : change.serverTransactionId();
        return new Place(change.commitTimestamp(), transaction, change.recordSequence());
    }
}
