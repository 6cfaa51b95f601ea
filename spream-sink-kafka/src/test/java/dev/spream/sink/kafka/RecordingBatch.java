package dev.spream.sink.kafka;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A batch that remembers what was said of its changes; what was said is read after the call, or between two steps of it. */
final class RecordingBatch implements BatchConsumer.Batch {
    static final Delivery DELIVERY =
            new Delivery(new PartitionToken("partition-1"), 1, 1, Optional.empty(), Optional.empty());

    private final List<DataChangeRecord> changes;
    private final List<Integer> settled = Collections.synchronizedList(new ArrayList<>());
    private final Map<Integer, Throwable> failed = Collections.synchronizedMap(new TreeMap<>());

    RecordingBatch(DataChangeRecord... changes) {
        this.changes = List.of(changes);
    }

    @Override
    public List<DataChangeRecord> changes() {
        return changes;
    }

    @Override
    public Delivery delivery(int index) {
        return DELIVERY;
    }

    @Override
    public void settle(int index) {
        if (failed.containsKey(index)) {
            throw new IllegalStateException("%d was failed before".formatted(index));
        }
        settled.add(index);
    }

    @Override
    public void fail(int index, Throwable cause) {
        if (settled.contains(index) || failed.put(index, cause) != null) {
            throw new IllegalStateException("%d was settled or failed before".formatted(index));
        }
    }

    List<Integer> settled() {
        return List.copyOf(settled);
    }

    Map<Integer, Throwable> failed() {
        return Map.copyOf(failed);
    }

    Throwable failure(int index) {
        return Optional.ofNullable(failed.get(index))
                .orElseThrow(() -> new AssertionError("%d did not fail; failed are %s".formatted(index, failed)));
    }
}
