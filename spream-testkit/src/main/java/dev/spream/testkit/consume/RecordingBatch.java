package dev.spream.testkit.consume;

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

/**
 * A batch for tests of a sink, which keeps what the sink says of its changes. The sink uses it from one thread; any thread may
 * read what was said.
 */
public final class RecordingBatch implements BatchConsumer.Batch {
    /** The delivery of every change. */
    public static final Delivery DELIVERY =
            new Delivery(new PartitionToken("partition-1"), 1, 1, Optional.empty(), Optional.empty());

    private final List<DataChangeRecord> changes;
    private final List<Integer> settled = Collections.synchronizedList(new ArrayList<>());
    private final Map<Integer, Throwable> failed = Collections.synchronizedMap(new TreeMap<>());

    public RecordingBatch(DataChangeRecord... changes) {
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

    /** Returns the indices of the settled changes, in the order in which they were settled. */
    public List<Integer> settled() {
        return List.copyOf(settled);
    }

    /** Returns the causes of the failed changes, by their indices. */
    public Map<Integer, Throwable> failed() {
        return Map.copyOf(failed);
    }

    /** Returns the cause of a failed change; throws if it did not fail. */
    public Throwable failure(int index) {
        return Optional.ofNullable(failed.get(index))
                .orElseThrow(() -> new AssertionError("%d did not fail; failed are %s".formatted(index, failed)));
    }
}
