package dev.spream.storage.jdbc.mirror;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A batch as the engine hands it over.
 *
 * @param failures what was failed, by index
 */
record MirrorBatch(
        List<DataChangeRecord> changes, Delivery delivery, boolean isTransaction, Map<Integer, Throwable> failures)
        implements BatchConsumer.Batch {

    /** Changes of a subscription that has settled nothing yet. */
    static MirrorBatch batch(DataChangeRecord... changes) {
        return new MirrorBatch(List.of(changes), delivery(MirrorChanges.START), false, new TreeMap<>());
    }

    /** Changes of one transaction, which are numbered here. */
    static MirrorBatch transaction(DataChangeRecord... changes) {
        List<DataChangeRecord> numbered = new ArrayList<>();
        for (DataChangeRecord change : changes) {
            numbered.add(new DataChangeRecord(
                    change.commitTimestamp(),
                    "%08d".formatted(numbered.size()),
                    change.serverTransactionId(),
                    numbered.size() + 1 == changes.length,
                    change.tableName(),
                    change.columnTypes(),
                    change.mods(),
                    change.modTypeName(),
                    change.valueCaptureTypeName(),
                    changes.length,
                    1,
                    "",
                    false));
        }
        return new MirrorBatch(numbered, delivery(MirrorChanges.START), true, new TreeMap<>());
    }

    static Delivery delivery(Instant lowWatermark) {
        return new Delivery(new PartitionToken("p"), 1, 1, Optional.empty(), Optional.of(lowWatermark));
    }

    @Override
    public Delivery delivery(int index) {
        return delivery;
    }

    @Override
    public void settle(int index) {
        throw new UnsupportedOperationException("the mirror settles by returning");
    }

    @Override
    public void fail(int index, Throwable cause) {
        failures.put(index, cause);
    }
}
