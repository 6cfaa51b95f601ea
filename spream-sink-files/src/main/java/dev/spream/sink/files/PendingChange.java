package dev.spream.sink.files;

import dev.spream.api.spi.EncodedChange;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.time.Instant;

/**
 * A change that was acknowledged, and is not committed yet.
 *
 * @param place its place in the partition
 * @param isReplay whether it is a dead letter that is replayed, which its place does not make known
 * @param encoded the change in the format of the files
 */
record PendingChange(
        PartitionToken partition,
        long epoch,
        Place place,
        RecordIdentity identity,
        boolean isReplay,
        String table,
        int rows,
        EncodedChange encoded) {
    /** About the memory of a change besides its bytes. */
    private static final int OVERHEAD = 200;

    static PendingChange of(DataChangeRecord change, Delivery delivery, EncodedChange encoded) {
        return new PendingChange(
                delivery.partition(),
                delivery.epoch(),
                Place.of(delivery.partition(), change),
                change.identity(),
                delivery.isReplay(),
                change.tableName(),
                change.mods().size(),
                encoded);
    }

    Instant at() {
        return place.at();
    }

    long size() {
        return encoded.size() + OVERHEAD;
    }
}
