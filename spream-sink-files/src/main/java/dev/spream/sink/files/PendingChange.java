package dev.spream.sink.files;

import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import java.time.Instant;
import java.util.Optional;

/**
 * A change that was acknowledged, and is not committed yet.
 *
 * @param identity that of a dead letter that is replayed; empty for others, which the place identifies
 * @param bytes the change in the format of the files
 */
record PendingChange(
        PartitionToken partition, long epoch, Place place, Optional<String> identity, String table, int rows, byte[] bytes) {
    /** About the memory of a change besides its bytes. */
    private static final int OVERHEAD = 200;

    static PendingChange of(DataChangeRecord change, Delivery delivery, byte[] bytes) {
        return new PendingChange(
                delivery.partition(),
                delivery.epoch(),
                Place.of(delivery.partition(), change),
                delivery.isReplay() ? Optional.of(change.identity().toString()) : Optional.empty(),
                change.tableName(),
                change.mods().size(),
                bytes);
    }

    Instant at() {
        return place.at();
    }

    long size() {
        return bytes.length + OVERHEAD;
    }
}
